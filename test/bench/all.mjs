// Runs all benchmarks, one after the other; each prints its figures and marks. Names as arguments run those alone: `reads`, `http`.
import { spawnSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

const BENCHES = {
  http: "http.mjs",
  gateway: "gateway.mjs",
  spring: "spring.mjs",
  reads: "reads.mjs",
  rows: "rows.mjs",
  gateways: "../../node_modules/.cache/trading-admin/bench/gateways.js",
  transports: "../../node_modules/.cache/trading-admin/bench/transports.js",
  guessing: "guessing.mjs",
  proxy: "proxy.mjs",
  floods: "floods.mjs",
  cli: "cli.mjs",
  console: "../../node_modules/.cache/trading-admin/bench/console.js",
};

const asked = process.argv.slice(2);
// What was there before the first benchmark; figures of a machine with other work say little.
const [others = 0] = loadavg();
process.stdout.write(
  `${others.toFixed(1)} programs were busy on ${availableParallelism()} cores before the benchmarks\n`,
);
for (const [name, file] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

// Runs all benchmarks, one after the other; each prints its figures and marks. Names as arguments run those alone: `reads`, `http`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BENCHES = {
  http: "http.mjs",
  gateway: "gateway.mjs",
  spring: "spring.mjs",
  reads: "reads.mjs",
  transports: "../../node_modules/.cache/trading-admin/bench/transports.js",
  guessing: "guessing.mjs",
  proxy: "proxy.mjs",
  floods: "floods.mjs",
  cli: "cli.mjs",
  console: "../../node_modules/.cache/trading-admin/bench/console.js",
};

const asked = process.argv.slice(2);
for (const [name, file] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

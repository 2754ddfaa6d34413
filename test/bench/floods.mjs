// The floods of test/storm as a table: what they do to halts, to somebody who reads politely, and to memory. `FLOODS=all` tries
// every flood on every site; without it one of each kind is tried. Arguments are for vitest: `-t "Forwarded header"`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HEADINGS = ["flood", "site", "halts quiet", "in flood", "delivered", "reads served", "MB peak", "MB held"];

function cells({ flood, site, quiet, halts, delivered, p99, reads, peakMb, usage }) {
  const served = reads.filter(({ status }) => status === 200).length;
  return [
    flood,
    `${site.simulator ? "simulated, " : ""}${site.engine}${site.tls ? ", TLS" : ""}`,
    `${quiet.p99.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    `${delivered}/${halts.length}`,
    `${served}/${reads.length}`,
    `+${peakMb - quiet.usage.residentMb}`,
    usage.heldMb === null ? "unknown" : `+${usage.heldMb - quiet.usage.heldMb}`,
  ];
}

const folder = mkdtempSync(join(tmpdir(), "trading-admin-floods-"));
const report = join(folder, "floods.jsonl");
try {
  const run = ["vitest", "run", "--project", "storm", "test/storm/floods.test.ts", ...process.argv.slice(2)];
  const env = { ...process.env, FLOODS_REPORT: report };
  // Whether each flood is withstood is for the tests to say.
  const { stderr } = spawnSync("npx", run, {
    env,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (!existsSync(report)) throw new Error(`no flood was tried:\n${stderr}`);
  const trials = readFileSync(report, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  // A flood that was tried twice counts as it was the second time.
  const rows = [HEADINGS, ...new Map(trials.map((trial) => [cells(trial).slice(0, 2).join(), cells(trial)])).values()];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    );
} finally {
  rmSync(folder, { recursive: true });
}

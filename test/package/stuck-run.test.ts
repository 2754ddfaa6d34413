import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "./build.ts";

const CONFIG = `import { StuckRun } from "../../support/stuck-run.ts";
export default { root: import.meta.dirname, test: { reporters: ["default", new StuckRun(3_000)] } };`;

const STUCK = `import { spawnSync } from "node:child_process";
import { it } from "vitest";
it("ends", () => {});
it("waits for a program", () => void spawnSync("sleep", ["600"]));`;

it("D-TEST 12: a run of which nothing ends is ended, says what had not, and leaves no program behind", async () => {
  const folder = mkdtempSync(join(ROOT, "test/package/stuck-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "vitest.config.ts"), CONFIG);
  // By another name than the tests of this package, which others list meanwhile.
  writeFileSync(join(folder, "stuck.spec.ts"), STUCK);
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--config", join(folder, "vitest.config.ts")];
  const run = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void run.kill("SIGKILL"));
  let said = "";
  run.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  expect(await once(run, "exit")).toEqual([1, null]);
  expect(said).toContain("No test has ended for 3 seconds, so the run ends. Files that have not ended:");
  expect(said).toContain("stuck.spec.ts\nIts programs:\n");
  const [, pid] = /^ {2}(\d+) sleep 600 $/m.exec(said) ?? [];
  const isRunning = () => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") S");
  await expect.poll(() => existsSync(`/proc/${pid}`) && isRunning()).toBe(false);
  expect(pid).toBeDefined();
});

it("D-TEST 12: a test waits for no program without a limit", () => {
  const unlimited = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!tools\/).*(?<!-global)\.ts$/.test(file))
    .filter((file) =>
      /^import [^;]*Sync\b[^;]* from "node:child_process"/m.test(readFileSync(join(ROOT, "test", file), "utf8")),
    );
  expect(unlimited).toEqual(["support/output-of.ts"]);
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "./build.ts";

const CONFIG = `import { StuckRun } from "../../support/stuck-run.ts";
export default { root: import.meta.dirname, test: { reporters: ["default", new StuckRun(LIMIT)] } };`;

const STUCK = `import { spawnSync } from "node:child_process";
import { it } from "vitest";
it("ends", () => {});
it("waits for a program", () => void spawnSync("sleep", ["600"]));`;

/** A run of a test that waits for a program. */
function startRun(limitMs: number): { readonly run: ChildProcess; readonly said: () => string } {
  const folder = mkdtempSync(join(ROOT, "test/package/stuck-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "vitest.config.ts"), CONFIG.replace("LIMIT", String(limitMs)));
  // By another name than the tests of this package, which others list meanwhile.
  writeFileSync(join(folder, "stuck.spec.ts"), STUCK);
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--config", join(folder, "vitest.config.ts")];
  const run = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void run.kill("SIGKILL"));
  let said = "";
  run.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return { run, said: () => said };
}

const isRunning = (pid: number | string | undefined): boolean =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/stat`, "utf8").includes(") S");

/** The program for which the test of a run waits. */
function programOf(pid: number | undefined): number | undefined {
  const children = (of: number): number[] =>
    readFileSync(`/proc/${of}/task/${of}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  const all = (of: number): number[] => children(of).flatMap((child) => [child, ...all(child)]);
  return all(pid ?? 0).find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").startsWith("sleep\0"));
}

it("D-TEST 12: a run that is interrupted leaves no program behind", async () => {
  const { run } = startRun(60_000);
  await expect.poll(() => programOf(run.pid), { timeout: 30_000 }).toBeDefined();
  const program = programOf(run.pid);
  run.kill("SIGINT");
  await once(run, "exit");
  await expect.poll(() => isRunning(program)).toBe(false);
});

it("D-TEST 12: a run of which nothing ends is ended, says what had not, and leaves no program behind", async () => {
  const { run, said } = startRun(3_000);
  expect(await once(run, "exit")).toEqual([1, null]);
  expect(said()).toContain("No test has ended for 3 seconds, so the run ends. Files that have not ended:");
  expect(said()).toContain("stuck.spec.ts\nIts programs:\n");
  const [, pid] = /^ {2}(\d+) sleep 600 $/m.exec(said()) ?? [];
  await expect.poll(() => isRunning(pid)).toBe(false);
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

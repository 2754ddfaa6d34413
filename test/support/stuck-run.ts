import { readFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Longer than any test may take: the longest downloads charts (`HELM_TIMEOUT_MS`). */
const LIMIT_MS = 960_000;

/**
 * Leaves no program of a run that is interrupted, as by Ctrl-C or a check that fails beside it. Ends a run in which nothing has ended for longer than any test may take, and says what had not: a worker that waits without
 * turns (for a program, in a loop) is beyond the reach of the limits that its tests have.
 */
export class StuckRun implements Reporter {
  readonly #running = new Set<TestModule>();
  readonly #limitMs: number;
  #timer?: NodeJS.Timeout;

  constructor(limitMs = LIMIT_MS) {
    this.#limitMs = limitMs;
    process.once("SIGINT", leaveNothing);
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.add(module);
    this.#wait();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module);
    this.#wait();
  }

  onTestCaseResult(): void {
    this.#wait();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), this.#limitMs);
  }

  #end(): void {
    const files = [...this.#running].map(({ project, relativeModuleId }) => `  ${project.name} ${relativeModuleId}`);
    const programs = descendants(process.pid).map((pid) => `  ${pid} ${commandLine(pid)}`);
    const heading = `No test has ended for ${this.#limitMs / 1_000} seconds, so the run ends. Files that have not ended:`;
    const seed = `FUZZ_SEED=${process.env.FUZZ_SEED} makes the same generated cases again.`;
    process.stderr.write(`${[heading, ...files, "Its programs:", ...programs, seed].join("\n")}\n`);
    for (const pid of descendants(process.pid)) endProcess(pid);
    process.exit(1);
  }
}

/** Ends the programs of a run that is interrupted, whose workers end before they do. */
function leaveNothing(): void {
  const programs = descendants(process.pid);
  process.once("exit", () => programs.forEach(endProcess));
}

/** The processes that a process started, and those that they started. */
function descendants(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function commandLine(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").slice(0, 200);
}

/** Text of a file, or nothing if its process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

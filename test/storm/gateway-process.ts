import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pin } from "../bench/cores.mjs";
import { COMMAND } from "../cli/command.ts";
import type { Workplace } from "../cli/workplace.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";

const START_MS = 20_000;
const REPORT_MS = 5_000;
const LOOK_MS = 20;

/** More than a gateway needs for its connections, and few enough to run out of. */
const DESCRIPTORS = 2_048;

const LOG = "monitor.log";

/** A gateway on its own core, with its log in a file: whoever reads a pipe would have a part in how fast it is. */
export class GatewayProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  private constructor(child: ChildProcess, logFile: string, url: string) {
    this.#child = child;
    this.#logFile = logFile;
    this.url = url;
  }

  /** Runs `trading-admin serve` with the workplace's `application.yaml` until it listens. */
  static async start(workplace: Workplace): Promise<GatewayProcess> {
    const logFile = workplace.file(LOG);
    const log = openSync(logFile, "a");
    // With the option that docs/deploy names for a gateway with its own core.
    const report = [
      "--single-threaded-gc",
      "--expose-gc",
      "--import",
      new URL("memory-report.mjs", import.meta.url).href,
    ];
    const serve = [process.execPath, ...report, COMMAND, "serve", "--config", "application.yaml"];
    const child = spawn("sh", ["-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh", ...serve], {
      cwd: workplace.path,
      env: CLEAN_ENVIRONMENT,
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    try {
      const url = await listening(child, logFile);
      pin(child.pid ?? 0, 0);
      return new GatewayProcess(child, logFile, url);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Throws with the end of its log when it has ended. */
  checkRunning(): void {
    if (this.isRunning) return;
    const { exitCode, signalCode } = this.#child;
    throw new Error(
      `the gateway ended with ${exitCode ?? signalCode}:\n${readFileSync(this.#logFile).subarray(-2_000)}`,
    );
  }

  /** Megabytes that it holds when garbage has been collected; infinite if it is too busy to say. */
  async heldMb(): Promise<number> {
    try {
      const reported = once(this.#child, "message", { signal: AbortSignal.timeout(REPORT_MS) });
      this.#child.send("report");
      const [{ heldMb }] = (await reported) as [{ heldMb: number }];
      return heldMb;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** What it has written to its log so far. */
  get log(): string {
    return readFileSync(this.#logFile, "utf8");
  }

  /** Bytes that it has written to its log. */
  get logBytes(): number {
    return statSync(this.#logFile).size;
  }

  async kill(): Promise<void> {
    await ended(this.#child);
  }
}

async function listening(child: ChildProcess, logFile: string): Promise<string> {
  const deadline = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const [, url] = /^listening on (\S+)\n/m.exec(readFileSync(logFile, "utf8")) ?? [];
    if (url !== undefined) return url;
    await pause(LOOK_MS);
  }
  throw new Error(`the gateway does not listen:\n${readFileSync(logFile, "utf8")}`);
}

/** Ends a process in any case. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

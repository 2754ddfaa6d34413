import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST, ROOT, requireBuild } from "../package/build.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { runKept } from "./kept-process.ts";

/** How long a command may take to start, and to stop. */
const TIMEOUT_MS = 60_000;

/** The command as package.json names it. */
export const COMMAND = join(ROOT, MANIFEST.bin["trading-admin"] ?? "");

/** Throws unless the command has been built since the sources were changed. */
export function requireCommand(): void {
  requireBuild();
  if (!existsSync(COMMAND)) throw new Error(`The build lacks ${COMMAND}; run \`npx tsup --dts\` first`);
}

/** What is left of a command that has ended. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it ends, which it has to do by itself and soon. Its home is the folder that it runs in. */
export function run(
  file: string,
  args: readonly string[],
  cwd: string,
  input = "",
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { ...CLEAN_ENVIRONMENT, HOME: cwd, ...environment };
    const options = { cwd, env, timeout: TIMEOUT_MS, killSignal: "SIGKILL" as const, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`${file} ${args.join(" ")} does not end:\n${stdout}${stderr}`));
      else resolve({ code: child.exitCode, stdout, stderr });
    });
    // It may end without having read all.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** Commands that would leave something in a process that others run in. */
const SERVES = ["serve", "engine", "docs", "console", "top"];

/** Runs `trading-admin` until it ends, in a process that has run others before: test/cli/kept-process.test.ts proves that this makes no difference. */
export function runCommand(
  args: readonly string[],
  cwd: string,
  input = "",
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const isOfNode = Object.keys(environment).some((name) => name.startsWith("NODE_"));
  if (isOfNode || args.some((word) => SERVES.includes(word)))
    return run(process.execPath, [COMMAND, ...args], cwd, input, environment);
  const line = { command: COMMAND, args, cwd, input, environment: { ...CLEAN_ENVIRONMENT, HOME: cwd, ...environment } };
  return runKept(line, TIMEOUT_MS);
}

/** A command that keeps running. */
export class Serving {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<number | null>;
  #stdout = "";
  #stderr = "";

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#ended = new Promise((resolve) => {
      child.once("close", (code) => resolve(code));
    });
  }

  /** Runs `trading-admin` and waits until it says that it listens. */
  static async start(cwd: string, ...args: readonly string[]): Promise<Serving> {
    const serving = new Serving(spawn(process.execPath, [COMMAND, ...args], { cwd, env: CLEAN_ENVIRONMENT }));
    const listening = new Promise<void>((resolve) => {
      serving.#child.stdout.on("data", () => {
        if (serving.url !== "") resolve();
      });
    });
    try {
      await within(Promise.race([listening, serving.#ended]), "the command does not listen");
      if (serving.#child.exitCode !== null) throw new Error("the command ended");
      return serving;
    } catch (cause) {
      await serving.kill();
      throw new Error(`${serving.#stdout}${serving.#stderr}`, { cause });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The address that it says it listens on. */
  get url(): string {
    return /^(?:(?:engine )?listening on|open) (\S+)\n/m.exec(this.#stdout)?.[1] ?? "";
  }

  /** Reads its standard output no more, or reads on; what it writes meanwhile has to wait. */
  readOutput(on: boolean): void {
    if (on) this.#child.stdout.resume();
    else this.#child.stdout.pause();
  }

  /** Goes away as the reader of its standard output. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  /** Sends a signal and answers the exit code, null if the signal itself ended the process. */
  stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return within(this.#ended, `the command does not end on ${signal}`);
  }

  /** Ends it in any case. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.stop("SIGKILL");
  }
}

async function within<T>(waiting: Promise<T>, problem: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${problem} within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  return Promise.race([waiting, late]).finally(() => clearTimeout(timer));
}

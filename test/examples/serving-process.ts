import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 60_000;

/** A program that serves in its own process. */
export interface ServingProcess {
  /** Where it serves, as it has printed it. */
  readonly url: string;
  /** What it has printed so far, both streams together. */
  output(): string;
  /** Sends SIGTERM; answers the exit code, or the signal that ended it. */
  terminate(): Promise<number | string>;
  /** Ends it if it still runs. */
  close(): Promise<void>;
}

/** Starts a program and waits until it prints its address, the first group of `pattern`. */
export async function startServing(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env">,
  pattern: RegExp,
): Promise<ServingProcess> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const close = async (): Promise<void> => {
    if (isRunning(child)) await end(child, "SIGKILL");
  };
  const printed = (): string | undefined => {
    if (!isRunning(child)) throw new Error(`${args[0]} did not start:\n${output}`);
    return pattern.exec(output)?.[1];
  };
  try {
    const waiting = { limitMs: TIMEOUT_MS, everyMs: 20 };
    const url = await until(printed, () => `${args[0]} prints its address:\n${output}`, waiting);
    return { url, output: () => output, terminate: () => end(child, "SIGTERM"), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<number | string> {
  const ended = once(child, "close", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  child.kill(signal);
  const [code, killedBy] = (await ended) as [number | null, string | null];
  return code ?? killedBy ?? "neither exit code nor signal";
}

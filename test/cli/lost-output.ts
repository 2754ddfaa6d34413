import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { onTestFinished } from "vitest";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { outputOf } from "../support/output-of.ts";
import { COMMAND } from "./command.ts";
import type { Workplace } from "./workplace.ts";

/** What is wrong with a stream: its reader has gone, its disk is full, it is closed, nobody reads it. */
export type Failure = "EPIPE" | "ENOSPC" | "closed" | "blocked";

export const FAILURES: readonly Failure[] = ["EPIPE", "ENOSPC", "closed", "blocked"];

export type Stream = "stdout" | "stderr";

const NUMBER_OF: Readonly<Record<Stream, number>> = { stdout: 1, stderr: 2 };

/** A command whose output goes nowhere. */
export interface Started {
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Standard error, unless that is what is broken. */
  stderr(): string;
  signal(name: NodeJS.Signals): void;
}

/** Starts the command with a broken stream; without one its output is thrown away. */
export function start(
  workplace: Workplace,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  broken?: { readonly stream: Stream; readonly failure: Failure },
): Started {
  const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "ignore", "pipe"];
  const index = broken && NUMBER_OF[broken.stream];
  if (broken && index !== undefined) stdio[index] = targetOf(workplace, broken.failure);
  const program = [process.execPath, COMMAND, ...args];
  const line = broken?.failure === "closed" ? ["sh", "-c", `exec "$0" "$@" ${index}>&-`, ...program] : program;
  const [file = "", ...rest] = line;
  const env = { ...CLEAN_ENVIRONMENT, HOME: workplace.path, ...environment };
  const child = spawn(file, rest, { cwd: workplace.path, env, stdio });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  const gone = broken?.failure === "EPIPE" ? index : undefined;
  if (gone === 1) child.stdout?.destroy();
  if (gone === 2) child.stderr?.destroy();
  else
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null);
  return { ended, stderr: () => stderr, signal: (name) => void child.kill(name) };
}

function targetOf(workplace: Workplace, failure: Failure): "ignore" | "pipe" | number {
  if (failure === "EPIPE") return "pipe";
  if (failure === "closed") return "ignore";
  const descriptor = failure === "ENOSPC" ? openSync("/dev/full", "w") : fullPipe(workplace);
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

let pipes = 0;

/** The writing end of a pipe that is full, with a reader who does not read. */
function fullPipe(workplace: Workplace): number {
  pipes += 1;
  const path = workplace.file(`pipe-${pipes}`);
  outputOf("mkfifo", [path]);
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(both));
  try {
    for (;;) writeSync(both, "x".repeat(4_096));
  } catch {
    // It is full.
  }
  return openSync(path, "w");
}

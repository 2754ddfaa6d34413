import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Ended } from "./command.ts";

const PROGRAM = fileURLToPath(new URL("kept-process.mjs", import.meta.url));

/** More of them than a file runs commands concurrently would only fill the memory. */
const MAX_IDLE = 2;

/** A command line, with all that a process gets. */
export interface CommandLine {
  /** File of the program, a module that runs by being read. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input: string;
  readonly environment: NodeJS.ProcessEnv;
}

const idle: ChildProcess[] = [];

/** Runs a command line in a process that has run others before, and rejects when it does not end in time. */
export async function runKept(line: CommandLine, timeoutMs: number): Promise<Ended> {
  const child = idle.pop() ?? fork(PROGRAM, { serialization: "advanced" });
  child.removeAllListeners("exit");
  child.ref();
  child.channel?.ref();
  const ended = await endOf(child, line, timeoutMs);
  if (idle.length < MAX_IDLE) keep(child);
  else child.kill();
  return ended;
}

function endOf(child: ChildProcess, line: CommandLine, timeoutMs: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      clearTimeout(timer);
      child.removeAllListeners("message").removeAllListeners("exit");
      outcome();
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      settle(() => reject(new Error(`${line.command} ${line.args.join(" ")} does not end`)));
    }, timeoutMs);
    child.once("message", (ended) => settle(() => resolve(ended as Ended)));
    child.once("exit", (code) => settle(() => reject(new Error(`${line.args.join(" ")} ended its process: ${code}`))));
    child.send(line);
  });
}

/** It ends with this process at the latest. */
function keep(child: ChildProcess): void {
  child.once("exit", () => idle.splice(idle.indexOf(child), 1));
  child.unref();
  child.channel?.unref();
  idle.push(child);
}

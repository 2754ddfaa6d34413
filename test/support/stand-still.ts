import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const LIMIT_MS = 30_000;

/** Stops a process as `kill -STOP` does, and returns when all of its threads have stopped: until then they may still respond. */
export function standStill(child: ChildProcess): void {
  child.kill("SIGSTOP");
  const threads = `/proc/${child.pid}/task`;
  // Only Linux says it.
  if (!existsSync(threads)) return;
  const until = performance.now() + LIMIT_MS;
  while (!readdirSync(threads).every((thread) => isStopped(`${threads}/${thread}/stat`))) {
    if (performance.now() > until) throw new Error(`Process ${child.pid} has not stopped within ${LIMIT_MS} ms`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
}

/** By the state behind the name of the program (proc(5)). */
function isStopped(file: string): boolean {
  const text = readFileSync(file, "utf8");
  return /^[TtZX]/.test(text.slice(text.lastIndexOf(")") + 2));
}

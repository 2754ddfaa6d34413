import { type ExecFileSyncOptions, execFileSync } from "node:child_process";

/** What a program prints; one that fails, or has not ended before the test would, is an error with what it said. */
export function outputOf(file: string, args: readonly string[], options: ExecFileSyncOptions = {}): string {
  return execFileSync(file, args, {
    timeout: 100_000,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    encoding: "utf8",
  });
}

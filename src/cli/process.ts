import { LineWriter } from "../gateway/log/line-writer.ts";

const STANDARD_OUTPUT = 1;

/** Settles at SIGTERM or SIGINT. */
export function terminated(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

/** Prints at once. Whoever reads standard output may go away or stop reading; that stops nothing here. */
export function print(text: string): void {
  try {
    new LineWriter(STANDARD_OUTPUT).write(text);
  } catch {
    // There is nobody to tell.
  }
}

/**
 * Lets writes to standard output fail when a reader does not keep up, instead of halting the process: a log must not stand
 * in the way of a stop. Node does this to a pipe when the stream over it is made.
 */
export function neverWaitForReader(): void {
  process.stdout.on("error", () => {});
}

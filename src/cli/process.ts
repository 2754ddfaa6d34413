import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { LineWriter } from "../gateway/log/line-writer.ts";
import { UsageError } from "./exit-codes.ts";

const STANDARD_OUTPUT = 1;

/** Settles at SIGTERM or SIGINT. */
export function terminated(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

/** Prints at once. The reader of standard output may go away or stop reading; that stops nothing here. */
export function print(text: string): void {
  try {
    new LineWriter(STANDARD_OUTPUT).write(text);
  } catch {
    // There is no reader.
  }
}

const NAME = "trading-admin";

/** How to call this program from any folder: for lines to paste into a shell. */
export function thisCommand(): string {
  const script = process.argv[1] ?? NAME;
  if (script.endsWith(`node_modules/.bin/${NAME}`)) return `npx ${NAME}`;
  return basename(script) === NAME ? NAME : `node ${shellWord(script)}`;
}

/** A text as one word of a POSIX shell; bare where it can be. */
export function shellWord(text: string): string {
  return /^[\w./:,@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Text of a file that was named on the command line or in a profile; `problem` begins the message when it cannot be read. */
export function textOfFile(file: string, problem: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`${problem}: ${(cause as Error).message}`, { cause });
  }
}

import { LineWriter } from "../../gateway/log/line-writer.ts";

/** How long a command that has acted waits for a reader who takes nothing, in milliseconds: its exit code is waited for, too. */
const PATIENCE_MS = 2_000;

const STANDARD_OUTPUT = 1;

const readerGone = new AbortController();
let hasActed = false;

// The only place that writes to standard output and standard error. Words never decide (decision D-CLI 9): whatever fails, a reader that
// has gone, a full disk, a pipe that nobody reads, changes neither what is sent, nor when, nor the exit code. A failure comes with each
// write; what could not be written is lost, and nobody is left to read it.
process.stdout.on("error", () => readerGone.abort());
process.stderr.on("error", () => {});

/** Aborted when standard output cannot be written any more: a command that only prints has nothing left to do. */
export const outputLost: AbortSignal = readerGone.signal;

export function write(text: string): void {
  put(process.stdout, text);
}

/** Writes words for the person at the terminal to standard error. */
export function writeWords(text: string): void {
  put(process.stderr, text);
}

/** Writes to standard output immediately, in whole lines, between those of a log that goes there too. */
export function print(text: string): void {
  try {
    new LineWriter(STANDARD_OUTPUT).write(text);
  } catch {
    // Lost, as above.
  }
}

/** From now on the exit code matters more than what is printed: a command is about to be sent. */
export function acts(): void {
  hasActed = true;
}

/**
 * Ends the process with this exit code when its output has been taken. Data of a command that only reads may wait for its reader, as `less`
 * lets it; words, and what a command that has acted says, do not wait long.
 */
export async function end(exitCode: number): Promise<void> {
  process.exitCode = exitCode;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  await Promise.all([taken(process.stdout, hasActed ? patience : undefined), taken(process.stderr, patience)]);
  if (patience.aborted) process.exit(exitCode);
}

function put(stream: NodeJS.WriteStream, text: string): void {
  try {
    stream.write(text);
  } catch {
    // Lost, as above.
  }
}

/** Settles when a stream holds nothing back any more, or with the signal. */
function taken(stream: NodeJS.WriteStream, patience: AbortSignal | undefined): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    patience?.addEventListener("abort", () => resolve(), { once: true });
    stream.write("", () => resolve());
  });
}

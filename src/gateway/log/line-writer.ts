import { writeSync } from "node:fs";

/** How long a line waits for a slow reader; everything else waits with it, so no other line waits until the reader takes one. */
const TIMEOUT_MS = 100;

const PAUSE_MS = 2;

const NOTHING = Buffer.alloc(0);

/**
 * Writes lines to a file descriptor immediately, and throws when it cannot: the disk is full, the reader of a pipe went away or
 * does not keep up. A line that could not be written is forgotten; one that was cut is finished before the next.
 */
export class LineWriter {
  readonly #descriptor: number;
  #unfinished: Uint8Array = NOTHING;
  /** The latest line that waited for the reader was not taken. */
  #isStuck = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Waits for a slow reader for at most `timeoutMs`. */
  write(line: string | Uint8Array, timeoutMs: number = TIMEOUT_MS): void {
    const deadline = Date.now() + (this.#isStuck ? 0 : timeoutMs);
    // Until the reader has taken it.
    this.#isStuck ||= timeoutMs > 0;
    this.#writeAll(this.#unfinished, deadline);
    this.#writeAll(typeof line === "string" ? Buffer.from(line) : line, deadline);
    this.#isStuck = false;
  }

  #writeAll(bytes: Uint8Array, deadline: number): void {
    let written = 0;
    try {
      while (written < bytes.length) written += this.#writeSome(bytes.subarray(written), deadline);
      this.#unfinished = NOTHING;
    } catch (error) {
      // A copy: the caller may use its bytes again.
      if (written > 0) this.#unfinished = Buffer.from(bytes.subarray(written));
      throw error;
    }
  }

  #writeSome(bytes: Uint8Array, deadline: number): number {
    for (;;) {
      try {
        return writeSync(this.#descriptor, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || Date.now() >= deadline) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    }
  }
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A Java program that takes lines and prints lines. */
export class JavaProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  /** @param args those of `java` */
  constructor(args: readonly string[]) {
    this.#child = spawn("java", args);
    this.#child.stderr.resume();
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Reads what it prints until a line matches. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the program ended without ${pattern}`);
      const found = pattern.exec(value);
      if (found) return found;
    }
  }

  /** Of a FIX client: its next MsgSeqNum out, and the one that it expects. */
  async numbers(): Promise<number[]> {
    this.say("numbers");
    const [, outbound, inbound] = await this.prints(/^numbers (\d+) (\d+)$/);
    return [Number(outbound), Number(inbound)];
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

import { emitKeypressEvents } from "node:readline";
import { write } from "../terminal/output.ts";
import type { Key } from "./view.ts";

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

interface NamedKey {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** The terminal as a whole screen: what was there before comes back at the end, whatever ends the program. */
export class FullScreen {
  readonly #leave = (): void => void write(LEAVE);

  /** Takes the screen and the keyboard. */
  open(onKey: (key: Key) => void, onResize: () => void): void {
    write(ENTER);
    process.once("exit", this.#leave);
    process.stdout.on("resize", onResize);
    emitKeypressEvents(process.stdin);
    process.stdin.setRawMode(true);
    process.stdin.on("keypress", (text: string | undefined, { name, ctrl = false }: NamedKey) =>
      onKey({ name, ctrl, text }),
    );
    process.stdin.resume();
  }

  get width(): number {
    return process.stdout.columns ?? 0;
  }

  get height(): number {
    return process.stdout.rows ?? 0;
  }

  /** Shows lines; written in one piece, so that the screen does not flicker. */
  show(lines: readonly string[]): void {
    write(`${HOME}${lines.map((line) => line + CLEAR_LINE).join("\r\n")}${CLEAR_BELOW}`);
  }

  close(): void {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.off("exit", this.#leave);
    this.#leave();
  }
}

import { closeSync, constants, openSync } from "node:fs";
import type { Socket } from "node:net";
import { type IPty, spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { until } from "./until.ts";

/** How long a screen may take to show something. */
const TIMEOUT_MS = 60_000;

/** How a program is started in a terminal. */
export interface TerminalOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** A program in a real terminal: keys are typed, the screen is read. */
export class RealTerminal {
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof headless.Terminal>;
  readonly #ended: Promise<number>;
  /** All that the program wrote, escape sequences included. */
  written = "";

  constructor(file: string, args: readonly string[], options: TerminalOptions) {
    const { cwd, environment, columns: cols = 80, rows = 24 } = options;
    const given = Object.entries(environment).filter(([, value]) => value !== undefined) as [string, string][];
    const env = { ...Object.fromEntries(given), TERM: "xterm-256color" };
    this.#screen = new headless.Terminal({ cols, rows, allowProposedApi: true });
    this.#pty = spawn(file, [...args], { cwd, env, cols, rows, name: env.TERM });
    readToTheEnd(this.#pty);
    this.#pty.onData((data) => {
      this.written += data;
      this.#screen.write(data);
    });
    this.#ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  /** Presses keys; `\r` is Enter. */
  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** What is on the screen, without blanks at the end of lines and empty lines at the end. */
  screen(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: this.#screen.rows }, (_, row) => {
      return active.getLine(active.viewportY + row)?.translateToString(true) ?? "";
    });
    return lines.join("\n").trimEnd();
  }

  /** What is on the screen, with lines that were broken at its edge in one piece. */
  text(): string {
    const { active } = this.#screen.buffer;
    const isWrapped = (row: number): boolean => active.getLine(active.viewportY + row)?.isWrapped ?? false;
    const lines = this.screen().split("\n");
    return lines.map((line, row) => (row > 0 && !isWrapped(row) ? `\n${line}` : line)).join("");
  }

  /** Waits until the screen shows something, whether in one line or broken at its edge. */
  async until(pattern: RegExp): Promise<string> {
    const shown = (): boolean => pattern.test(this.text());
    await until(shown, () => `the screen shows ${pattern}:\n${this.screen()}`, { limitMs: TIMEOUT_MS, everyMs: 20 });
    return this.text();
  }

  /** The exit code, once the program has ended and its last words are on the screen. */
  async ended(): Promise<number> {
    const code = await this.#ended;
    await new Promise<void>((resolve) => this.#screen.write("", resolve));
    return code;
  }

  /** Ends the program in any case. */
  close(): void {
    try {
      this.#pty.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    this.#screen.dispose();
  }
}

/** Turns of the event loop in which the last words of a program are read. */
const LAST_TURNS = 5;

/**
 * What a program wrote right before its exit can be lost while nobody reads, as on a busy machine: the other end is kept open until it has
 * been read. node-pty itself then stops reading 200 ms after the exit.
 */
function readToTheEnd(pty: IPty): void {
  const { _socket: socket, _pty: path } = pty as unknown as { readonly _socket: Socket; readonly _pty: string };
  const other = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  socket.once("close", () => closeSync(other));
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    void lastTurns().then(() => destroy(error));
    return socket;
  };
}

async function lastTurns(): Promise<void> {
  for (let turn = 0; turn < LAST_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

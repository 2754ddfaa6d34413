import { emitKeypressEvents } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { AdminClientError } from "../../client/errors.ts";
import { systemClock } from "../../core/clock.ts";
import { startTimeLimit } from "../../core/timeout.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { intervalOf } from "../duration.ts";
import { UsageError } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { sendCommand } from "../operations/send-command.ts";
import { hasColour } from "../output/format.ts";
import { outputLost, write } from "../terminal/output.ts";
import { mayPass } from "../watch/watch.ts";
import { layoutOf } from "./layout.ts";
import { panelOf } from "./panels.ts";
import { bannerOf, rowCounts, screenOf } from "./screen.ts";
import { afterOutage, afterReading, NOTHING_READ, readAll, type State, withEvents } from "./state.ts";
import { type Extent, FIRST_VIEW, type Key, pressed, type Scene, type View } from "./view.ts";

/** `top`: trading state, services, sessions, positions and what happened as a full screen, until q is pressed. */
export const run: Run = async ({ options }) => {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError("top needs a terminal; trading watch, fix watch and positions watch print lines");
  }
  const intervalMs = intervalOf({ interval: options.interval ?? "2s" });
  const projection = options.positions?.toString() ?? "Account/Symbol";
  let note = (_words: string): void => {};
  const connection = await connect({ ...options, progress: false }, (words) => note(words));
  const top = new Top(connection, projection);
  note = (words) => top.note(words);
  await top.run(intervalMs);
};

const READ_TIMEOUT_MS = 12_000;

/** How often the screen is written although nothing was read: what it shows grows old. */
const CLOCK_MS = 1_000;

/** The screen and what is behind it: state that readings change, a view that keys change. */
class Top {
  readonly #connection: Connection;
  readonly #projection: string;
  readonly #screen = new FullScreen();
  readonly #quit = new AbortController();
  #state: State = NOTHING_READ;
  #view: View = FIRST_VIEW;
  #message: string | undefined;
  /** Ends the pause between two readings. */
  #readNow = (): void => {};

  constructor(connection: Connection, projection: string) {
    this.#connection = connection;
    this.#projection = projection;
  }

  async run(intervalMs: number): Promise<void> {
    const quit = (): void => this.#quit.abort();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, quit);
    outputLost.addEventListener("abort", quit, { once: true });
    this.#screen.open(
      (key) => this.#press(key),
      () => this.#show(),
    );
    const clock = setInterval(() => this.#show(), CLOCK_MS);
    try {
      this.#show();
      await this.#readUntilQuit(intervalMs);
    } finally {
      clearInterval(clock);
      this.#screen.close();
    }
  }

  note(text: string): void {
    this.#state = withEvents(this.#state, [{ at: Date.now(), text }]);
    this.#show();
  }

  async #readUntilQuit(intervalMs: number): Promise<void> {
    const { signal } = this.#quit;
    const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    while (!signal.aborted) {
      await Promise.race([this.#read(), ended]);
      this.#show();
      const hurried = new Promise<void>((resolve) => {
        this.#readNow = resolve;
      });
      await Promise.race([pause(intervalMs), hurried, ended]);
    }
  }

  /** Rejects for what further reading does not change, such as refused credentials. */
  async #read(): Promise<void> {
    const { signal, end } = startTimeLimit(systemClock, READ_TIMEOUT_MS, this.#quit.signal);
    try {
      const reading = await readAll(this.#connection.polling, this.#projection, { signal });
      this.#state = afterReading(this.#state, reading);
    } catch (error) {
      if (this.#quit.signal.aborted) return;
      if (!mayPass(error)) throw error;
      this.#state = afterOutage(this.#state, Date.now(), `no response: ${(error as AdminClientError).reason}`);
    } finally {
      end();
    }
  }

  #press(key: Key): void {
    this.#message = undefined;
    const { view, action } = pressed(this.#view, key, this.#extent());
    this.#view = view;
    if (action === "quit") this.#quit.abort();
    if (action === "halt") void this.#halt();
    this.#show();
  }

  async #halt(): Promise<void> {
    this.#message = "halting all trading ...";
    this.#show();
    const result = await sendCommand(this.#connection, {
      operation: "haltTrading",
      input: { reason: "Halted from trading-admin top" },
      wait: { kind: "prove", ms: 10_000 },
    });
    const { outcome, message, seenAt, requestId } = result;
    this.#message = outcome === "done" ? `halted, confirmed ${seenAt}, request id ${requestId}` : message;
    if (outcome !== "done") this.note(message);
    this.#show();
    this.#readNow();
  }

  #extent(): Extent {
    const { focus, panels } = this.#view;
    const { columns, rows } = panelOf(focus, this.#state, panels[focus]);
    const scene = this.#scene();
    const layout = layoutOf(scene.height - bannerOf(scene).length, focus, rowCounts(scene));
    return { columns: columns.length, rows: rows.length, page: layout.rows[focus] };
  }

  #show(): void {
    if (!this.#quit.signal.aborted) this.#screen.show(screenOf(this.#scene()));
  }

  #scene(): Scene {
    const { width, height } = this.#screen;
    return {
      state: this.#state,
      view: this.#view,
      name: this.#connection.name,
      width,
      height,
      colour: hasColour(),
      now: Date.now(),
      message: this.#message,
    };
  }
}

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/** The terminal as a whole screen: what was there before comes back at the end, whatever ends the program. */
class FullScreen {
  readonly #leave = (): void => void write(LEAVE);

  /** Takes the screen and the keyboard. */
  open(onKey: (key: Key) => void, onResize: () => void): void {
    write(ENTER);
    process.once("exit", this.#leave);
    process.stdout.on("resize", onResize);
    emitKeypressEvents(process.stdin);
    process.stdin.setRawMode(true);
    process.stdin.on("keypress", (text: string | undefined, { name, ctrl = false }: Omit<Key, "text">) =>
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

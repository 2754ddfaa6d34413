import { type Absent, absentOf, failureText } from "../../pages/failure.ts";
import type { StatusLine } from "../../pages/status-line.ts";
import { utc } from "../../pages/time.ts";
import type { Reading } from "./reading.ts";

/** After so many milliseconds without a response the page says that it waits for one. */
const SLOW_MS = 3_000;
/** How long the page says that responses come again. */
const BACK_MS = 10_000;

/** Whether gateway and engine respond, as the reading that goes first shows it. */
export class Responsiveness {
  readonly #first: Reading<unknown>;
  readonly #status: StatusLine;
  #absent: Absent;
  #backUntil = 0;
  /** Called when a response came after there had been none. */
  onBack: () => void = () => {};

  constructor(first: Reading<unknown>, status: StatusLine) {
    this.#first = first;
    this.#status = status;
    first.onChange(() => this.#take());
  }

  /** Who did not respond to the last read. */
  get absent(): Absent {
    return this.#absent;
  }

  /** Says what is the case now. */
  show(now: number): void {
    const { failure, readAt, waitingSince } = this.#first;
    const seen = readAt === undefined ? "Nothing was read yet." : `What is shown was read at ${utc(readAt)} or before.`;
    if (failure !== undefined) this.#status.link(`${failureText(failure)} ${seen}`);
    else if (waitingSince !== undefined && now - waitingSince > SLOW_MS) {
      this.#status.link(`Waiting for a response since ${utc(waitingSince)}. ${seen}`);
    } else if (now < this.#backUntil) this.#status.link("Gateway and engine answer again.", true);
    else this.#status.link("");
  }

  #take(): void {
    const before = this.#absent;
    this.#absent = absentOf(this.#first.failure);
    if (before !== undefined && this.#first.failure === undefined) {
      this.#backUntil = Date.now() + BACK_MS;
      this.onBack();
    }
  }
}

import type { StatusLine } from "../../pages/status-line.ts";
import { type Absent, absentOf, isUnreachable, plainFailure, utc } from "../../pages/words.ts";
import type { Reading } from "./reading.ts";

/** A reading that is refreshed by itself. */
export interface Polled {
  readonly reading: Reading<unknown>;
  /** Milliseconds after which it is due again. */
  periodMs(): number;
  /** Whether it is in sight. */
  wanted(): boolean;
  /** Goes before all others when it is due. */
  readonly first?: boolean;
  /** When it came into sight, epoch milliseconds; undefined while it is not. */
  inSightSince?(): number | undefined;
}

/** Milliseconds between two requests: fewer than five in ten seconds while the page has not been scrolled. */
const RELAXED_MS = 2_150;
/** The same once the page has been scrolled, when more of it is looked at. */
const SCROLLED_MS = 1_000;
const TICK_MS = 250;
/** What comes into sight and was read before that is read again. */
const FRESH_MS = 5_000;

/**
 * Refreshes what is looked at, one request at a time and no more often than the pace allows: what has come into sight goes next, each once,
 * and then whatever is most overdue.
 * A hidden tab asks for nothing. While the gateway does not respond, only what goes first is tried.
 */
export class Polling {
  readonly #polled = new Map<Reading<unknown>, Polled>();
  readonly #isAway: () => boolean;
  #lastAt = 0;
  #isScrolled = false;

  constructor(isAway: () => boolean) {
    this.#isAway = isAway;
  }

  add(polled: Polled): void {
    this.#polled.set(polled.reading, polled);
  }

  remove(reading: Reading<unknown>): void {
    this.#polled.delete(reading);
  }

  /** Reads everything in sight immediately, as when the page is opened; what goes first has just been read. */
  refreshRest(): void {
    for (const { reading, first, wanted } of this.#polled.values()) if (!first && wanted()) void reading.refresh();
  }

  start(): void {
    setInterval(() => this.#tick(), TICK_MS);
    // Asked for at a tick, the place would have the page laid out in between.
    document.addEventListener("scroll", () => {
      this.#isScrolled = window.scrollY > 0;
    });
    // An operator who comes back to the tab wants to know immediately whether trading is halted.
    document.addEventListener("visibilitychange", () => this.#tick());
  }

  #tick(): void {
    const now = Date.now();
    const pace = this.#isScrolled ? SCROLLED_MS : RELAXED_MS;
    if (document.visibilityState === "hidden" || now - this.#lastAt < pace) return;
    const next = this.#next(now);
    if (!next) return;
    this.#lastAt = now;
    void next.reading.refresh();
  }

  #next(now: number): Polled | undefined {
    const isAway = this.#isAway();
    const due = [...this.#polled.values()].filter(
      (polled) =>
        polled.reading.waitingSince === undefined &&
        (polled.first || (!isAway && polled.wanted())) &&
        (overdue(polled, now) >= 1 || isNewlySeen(polled)),
    );
    const next = due.find(({ first }) => first) ?? due.find(isNewlySeen);
    return next ?? due.sort((a, b) => overdue(b, now) - overdue(a, now))[0];
  }
}

/** Whether it has come into sight with a value that was not read just before. */
function isNewlySeen({ reading, inSightSince }: Polled): boolean {
  return reading.askedAt + FRESH_MS < (inSightSince?.() ?? 0);
}

function overdue({ reading, periodMs }: Polled, now: number): number {
  return (now - reading.askedAt) / periodMs();
}

/** After this many milliseconds without a response the page says that it waits for one. */
const SLOW_MS = 3_000;
/** How long the page says that responses come again. */
const BACK_MS = 10_000;

const OTHERWISE = "Be ready to do it at the engine.";

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

  /** The part that did not respond to the last read. */
  get absent(): Absent {
    return this.#absent;
  }

  /** What happens to a command while a part does not respond; empty while all do. The gateway sends nothing later. */
  get commandNote(): string {
    if (this.#absent === undefined) return "";
    if (this.#absent === "gateway") return `The gateway does not answer: a command may not arrive. ${OTHERWISE}`;
    return isUnreachable(this.#first.failure)
      ? `The engine is not connected: until it is, commands are not sent, nor kept for later. ${OTHERWISE}`
      : `The engine does not answer: a command is sent, and whether it was done may stay unknown. ${OTHERWISE}`;
  }

  /** Says what is the case now. */
  show(now: number): void {
    const { failure, readAt, waitingSince } = this.#first;
    const seen = readAt === undefined ? "Nothing was read yet." : `What is shown was read at ${utc(readAt)} or before.`;
    if (failure !== undefined) {
      const { text, details } = plainFailure(failure);
      this.#status.link(`${text} ${seen}`, details);
    } else if (waitingSince !== undefined && now - waitingSince > SLOW_MS) {
      this.#status.link(`Waiting for a response since ${utc(waitingSince)}. ${seen}`);
    } else if (now < this.#backUntil) this.#status.link("Gateway and engine answer again.", "", true);
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

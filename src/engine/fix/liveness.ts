import { type Clock, monotonicMs } from "../../core/clock.ts";

/** Shares of the heartbeat interval after which a silent peer is asked, and given up. */
const TEST_AFTER = 1.2;
const GIVE_UP_AFTER = 2.4;

/** Reactions to silence on a connection. */
interface Actions {
  beat(): void;
  test(): void;
  giveUp(): void;
}

/** Watches the silence of a connection in both directions; an interval of 0 watches nothing. */
export class Liveness {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #actions: Actions;
  #sentAt: number;
  #receivedAt: number;
  #isTested = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, actions: Actions) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#actions = actions;
    this.#sentAt = this.#receivedAt = this.#now();
    this.#wait();
  }

  sent(): void {
    this.#sentAt = this.#now();
  }

  received(): void {
    this.#receivedAt = this.#now();
    this.#isTested = false;
  }

  stop(): void {
    this.#cancel?.();
  }

  #now(): number {
    return monotonicMs(this.#clock);
  }

  get #nextAt(): number {
    const silence = this.#isTested ? GIVE_UP_AFTER : TEST_AFTER;
    return Math.min(this.#sentAt + this.#intervalMs, this.#receivedAt + this.#intervalMs * silence);
  }

  #wait(): void {
    if (this.#intervalMs === 0) return;
    this.#cancel = this.#clock.schedule(Math.ceil(this.#nextAt - this.#now()), () => this.#look());
  }

  #look(): void {
    const now = this.#now();
    const silentMs = now - this.#receivedAt;
    if (silentMs >= this.#intervalMs * GIVE_UP_AFTER) {
      this.#actions.giveUp();
      return;
    }
    if (silentMs >= this.#intervalMs * TEST_AFTER && !this.#isTested) {
      this.#isTested = true;
      this.#actions.test();
    }
    if (now - this.#sentAt >= this.#intervalMs) this.#actions.beat();
    this.#wait();
  }
}

import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";
import type { WaitingCallers } from "../../core/load/waiting-callers.ts";
import type { Authentication } from "../authenticator.ts";

/** Longer than a turn and a check, so that each login that is held sees a turn. */
const DELAY_MS = 3_000;
const DELAY_FOR_EACH_HELD_MS = 5;
const MAX_DELAY_MS = 10_000;
const MAX_HELD = 10_000;

/** From the end of a turn to the next one. */
const TURN_MS = 1_000;

/** Names whose last turn is known. */
const CAPACITY = 10_000;

/** A login that found no place. */
export interface HeldLogin {
  /** Stands for the name that it gives, whether there is such a user or not. */
  readonly user: string;
  readonly exists: boolean;
  readonly callers: Pick<WaitingCallers, "areGone">;
  /** Checks the credentials. Wrong ones must not count as a failure: whose are checked depends on who exists. */
  check(): Promise<Authentication>;
}

/**
 * Holds logins that found no place before they are refused. Refused immediately, a flood would go at full speed, take each place that becomes
 * free, and be a load. The more are held, the longer: some hundred responses a second, whatever the number of connections.
 *
 * Meanwhile one of them is checked each second: of the users who exist, the one whose last turn was the longest ago. So invented names, however
 * many, keep no user out. Who exists does not show: credentials that are wrong are refused no earlier and in no other way for it, and without
 * such a user the turn is that of an invented name, which costs the same check. Those whose callers have hung up are no longer held: they would take
 * turns, and room, of those who wait.
 */
export class HeldLogins {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #held = new Set<Waiting>();
  /** Of those the ones who had no turn, the first who came first. */
  readonly #waiting = new Set<Waiting>();
  /** When a name had its last turn, epoch milliseconds. */
  readonly #lastTurns = new LRUCache<string, number>({ max: CAPACITY });
  #isPlanned = false;

  /** A name has a turn every `pauseMs` at most. */
  constructor(clock: Clock, pauseMs: number) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  /** The refusal, later, or what the check finds if the credentials are right; the refusal immediately where too many are held. */
  hold(refusal: Authentication, login: HeldLogin): Authentication | Promise<Authentication> {
    if (this.#held.size >= MAX_HELD) return refusal;
    const delayMs = Math.min(MAX_DELAY_MS, DELAY_MS + this.#held.size * DELAY_FOR_EACH_HELD_MS);
    return new Promise((resolve) => {
      const settle = (found: Authentication): void => {
        cancel();
        this.#held.delete(waiting);
        this.#waiting.delete(waiting);
        resolve(found);
      };
      const waiting: Waiting = { login, accept: settle, refuse: () => settle(refusal) };
      const cancel = this.#clock.schedule(delayMs, waiting.refuse);
      this.#held.add(waiting);
      this.#waiting.add(waiting);
      this.#planTurn();
    });
  }

  #planTurn(): void {
    if (this.#isPlanned || this.#waiting.size === 0) return;
    this.#isPlanned = true;
    this.#clock.schedule(TURN_MS, () => void this.#takeTurn());
  }

  async #takeTurn(): Promise<void> {
    for (const waiting of this.#held) if (waiting.login.callers.areGone) waiting.refuse();
    const next = this.#next();
    if (next) await this.#check(next);
    this.#isPlanned = false;
    this.#planTurn();
  }

  /** Wrong credentials, and those that cannot be checked, stay held. */
  async #check(waiting: Waiting): Promise<void> {
    this.#waiting.delete(waiting);
    this.#lastTurns.set(waiting.login.user, this.#clock.now());
    try {
      const found = await waiting.login.check();
      if (found.kind === "principal") waiting.accept(found);
    } catch {
      // It is not known whether they are right.
    }
  }

  #next(): Waiting | undefined {
    const now = this.#clock.now();
    // The distance counts, as the machine's clock may be set back.
    const due = [...this.#waiting].filter((one) => Math.abs(now - this.#lastTurn(one)) >= this.#pauseMs);
    const users = due.filter(({ login }) => login.exists);
    const [first, ...others] = users.length > 0 ? users : due;
    return others.reduce((best, one) => (this.#lastTurn(one) < this.#lastTurn(best ?? one) ? one : best), first);
  }

  #lastTurn({ login }: Waiting): number {
    return this.#lastTurns.peek(login.user) ?? Number.NEGATIVE_INFINITY;
  }
}

interface Waiting {
  readonly login: HeldLogin;
  readonly accept: (found: Authentication) => void;
  readonly refuse: () => void;
}

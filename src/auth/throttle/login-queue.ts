import type { Clock } from "../../core/clock.ts";
import { RoundRobin } from "../../core/load/round-robin.ts";
import type { LoginDelay } from "./login-delays.ts";

/** A login whose password or token is to be checked. */
export interface LoginAttempt extends LoginDelay {
  readonly origin: string;
  /** Credentials that were right before, or whose turn has come (`HeldLogins`): they wait only for a check to end, and there is always room for them. */
  readonly proven: boolean;
}

/** Logins that may wait, delayed or for a check to end. A delayed login of a slowed origin is a guess in all likelihood. */
const MAX_SUSPECTS_OF_ORIGIN = 2;
const MAX_OF_ORIGIN = 64;
const MAX_WAITING = 1_000;

/** How long a login waits for a check to end; then it is one that finds no place, while clients still wait for it. */
const MAX_QUEUED_MS = 10_000;

interface Waiting {
  readonly entrant: LoginAttempt;
  readonly admit: (admitted: boolean) => void;
  /** Cancels what the clock has for it: the end of its delay, or of its patience. */
  cancel: () => void;
}

/**
 * Where logins wait for a check. First each waits for its delay, which takes no place of a check. Then origins take
 * turns, so that the flood of one makes a login of another wait for one check at most. All bounds are on what waits.
 */
export class LoginQueue {
  readonly #clock: Clock;
  readonly #checksAtATime: number;
  readonly #isEndless: boolean;
  /** All who wait, by origin, except those whose credentials were right before. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #proven = new RoundRobin<Waiting>();
  readonly #ready = new RoundRobin<Waiting>();
  #size = 0;
  #running = 0;

  /** `checksAtATime` checks run concurrently; who waits for one longer than clients do is sent away unless `isEndless`. */
  constructor(clock: Clock, checksAtATime: number, isEndless = false) {
    this.#clock = clock;
    this.#checksAtATime = checksAtATime;
    this.#isEndless = isEndless;
  }

  /** True when the check may begin, after which {@link leave} has to be called; false when there is no room to wait. */
  enter(entrant: LoginAttempt): boolean | Promise<boolean> {
    const { delayMs, proven } = entrant;
    if (delayMs === 0 && this.#running < this.#checksAtATime) {
      this.#running += 1;
      return true;
    }
    if (!proven && !this.#makeRoom(entrant)) return false;
    return new Promise((admit) => {
      const waiting: Waiting = { entrant, admit, cancel: () => {} };
      if (!proven) this.#remember(waiting);
      if (delayMs === 0) this.#queue(waiting);
      else waiting.cancel = this.#clock.schedule(delayMs, () => this.#delayed(waiting));
    });
  }

  /** Whether only credentials wait for a check that were not right before. */
  get onlyUnprovenWait(): boolean {
    return this.#ready.size > 0 && this.#proven.size === 0;
  }

  /** A check has ended. The next that waits takes its place, so that no other can slip in between. */
  leave(): void {
    this.#running -= 1;
    const next = this.#proven.shift() ?? this.#ready.shift();
    if (next) this.#admit(next);
  }

  #delayed(waiting: Waiting): void {
    if (this.#running < this.#checksAtATime) this.#admit(waiting);
    else this.#queue(waiting);
  }

  #queue(waiting: Waiting): void {
    const { origin, proven } = waiting.entrant;
    (proven ? this.#proven : this.#ready).push(origin, waiting);
    if (!proven && !this.#isEndless) waiting.cancel = this.#clock.schedule(MAX_QUEUED_MS, () => this.#dismiss(waiting));
  }

  #admit(waiting: Waiting): void {
    waiting.cancel();
    this.#running += 1;
    this.#forget(waiting);
    waiting.admit(true);
  }

  #makeRoom({ origin, suspect }: LoginAttempt): boolean {
    const own = this.#waiting.get(origin) ?? new Set();
    if (own.size >= MAX_OF_ORIGIN) return false;
    if (suspect && countSuspects(own) >= MAX_SUSPECTS_OF_ORIGIN) return false;
    return this.#size < MAX_WAITING || this.#sendAway(own.size);
  }

  /** Sends the newest of the origin with the most away, unless all have about as few as `own`. */
  #sendAway(own: number): boolean {
    let most: ReadonlySet<Waiting> = new Set();
    for (const waiting of this.#waiting.values()) if (waiting.size > most.size) most = waiting;
    const newest = [...most].at(-1);
    if (!newest || most.size <= own + 1) return false;
    this.#dismiss(newest);
    return true;
  }

  #dismiss(waiting: Waiting): void {
    waiting.cancel();
    this.#ready.remove(waiting.entrant.origin, waiting);
    this.#forget(waiting);
    waiting.admit(false);
  }

  #remember(waiting: Waiting): void {
    const { origin } = waiting.entrant;
    const own = this.#waiting.get(origin);
    if (own) own.add(waiting);
    else this.#waiting.set(origin, new Set([waiting]));
    this.#size += 1;
  }

  #forget(waiting: Waiting): void {
    const { origin, proven } = waiting.entrant;
    if (proven) return;
    const own = this.#waiting.get(origin);
    own?.delete(waiting);
    if (own?.size === 0) this.#waiting.delete(origin);
    this.#size -= 1;
  }
}

function countSuspects(waiting: Iterable<Waiting>): number {
  let count = 0;
  for (const { entrant } of waiting) if (entrant.suspect) count += 1;
  return count;
}

import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";

export interface LoginFailure {
  /** Stands for the name that is tried, the same at every gateway: base64url of the SHA-256 of its key. */
  readonly user: string;
  /** Address or network, as `networkOrigin` returns it. */
  readonly origin: string;
}

/** Tells other gateways of the installation about guesses, and this one about theirs. */
export interface SharedLoginFailures {
  /** Tells the others, as far as they can be reached. Must not throw. */
  tell(guess: LoginFailure): void;
  /** Sets the listener to guesses that other gateways report. */
  listen(heard: (guess: LoginFailure) => void): void;
}

/** Credentials that are to be checked. */
export interface Login extends LoginFailure {
  /** Stands for name and password. */
  readonly digest: string;
}

/** How long a login has to wait before its password is checked. */
export interface LoginDelay {
  readonly delayMs: number;
  /** Whether it is its origin that is slowed, and not only its user. */
  readonly suspect: boolean;
}

export const NO_DELAY: LoginDelay = { delayMs: 0, suspect: false };

/** How failures come to a delay. */
interface Rule {
  /** Failures that cost nothing. */
  readonly free: number;
  /** Part of the longest delay that this rule comes to at most. */
  readonly share: number;
}

/** A user who mistypes is not slowed, nor is an office behind one address. */
const USER_AND_ORIGIN: Rule = { free: 5, share: 1 };
const ORIGIN: Rule = { free: 20, share: 1 / 2 };
/** A user who is guessed from elsewhere has to get in: a stop must stay possible. */
const USER: Rule = { free: 20, share: 1 / 20 };

/** Of the first failure that is not free; each further one doubles it. Failures are forgotten, so it halves in 30 seconds. */
const FIRST_DELAY_MS = 100;

/** Failures that wrong passwords come to, however often they are sent again: that is a forgotten script and no guess. */
const REPEATED = USER_AND_ORIGIN.free + 2;

const WRONG_KEPT = 10_000;

/**
 * Slows logins by the failures of the same user from the same origin, of the origin, and of the user; the longest of the three
 * delays counts. Users who do not exist count as those who do.
 */
export class LoginDelays {
  readonly #maxDelayMs: number;
  readonly #ofUserAndOrigin: FailureScores;
  readonly #ofOrigin: FailureScores;
  readonly #ofUser: FailureScores;
  /** Wrong credentials, by digest and origin. */
  readonly #wrong = new LRUCache<string, true>({ max: WRONG_KEPT });

  /** No delay is longer than `maxDelayMs`; with 0 there is none. */
  constructor(clock: Clock, maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
    this.#ofUserAndOrigin = new FailureScores(clock);
    this.#ofOrigin = new FailureScores(clock);
    this.#ofUser = new FailureScores(clock);
  }

  /** Entries that are kept now: users, origins, pairs of both, wrong credentials. */
  get size(): number {
    return this.#ofUserAndOrigin.size + this.#ofOrigin.size + this.#ofUser.size + this.#wrong.size;
  }

  of(login: Login): LoginDelay {
    const ofOrigin = Math.max(
      this.#delay(USER_AND_ORIGIN, this.#ofUserAndOrigin.of(bothOf(login))),
      this.#delay(ORIGIN, this.#ofOrigin.of(login.origin)),
    );
    return { delayMs: Math.max(ofOrigin, this.#delay(USER, this.#ofUser.of(login.user))), suspect: ofOrigin > 0 };
  }

  /** The password was wrong. Returns whether it is a guess, and not one that was wrong before. */
  failed(login: Login): boolean {
    const key = login.digest + login.origin;
    const isGuess = !this.#wrong.has(key);
    this.#wrong.set(key, true);
    if (isGuess) this.guessed(login);
    else this.#ofUserAndOrigin.add(bothOf(login), REPEATED);
    return isGuess;
  }

  /** Counts a wrong password, whichever gateway it was sent to. */
  guessed(guess: LoginFailure): void {
    this.#ofUserAndOrigin.add(bothOf(guess), this.#mostOf(USER_AND_ORIGIN));
    this.#ofOrigin.add(guess.origin, this.#mostOf(ORIGIN));
    this.#ofUser.add(guess.user, this.#mostOf(USER));
  }

  /** The password was right. It says nothing about other users: an attacker may have an account, too. */
  succeeded(login: Login): void {
    this.#ofUserAndOrigin.clear(bothOf(login));
  }

  #delay({ free, share }: Rule, score: number): number {
    if (score <= free) return 0;
    return Math.min(this.#maxDelayMs * share, FIRST_DELAY_MS * 2 ** (score - free - 1));
  }

  /** The score at which the longest delay is reached: more would only take longer to forget. */
  #mostOf({ free, share }: Rule): number {
    return free + 1 + Math.max(0, Math.ceil(Math.log2((this.#maxDelayMs * share) / FIRST_DELAY_MS)));
  }
}

function bothOf({ user, origin }: LoginFailure): string {
  return `${origin} ${user}`;
}

interface Failures {
  readonly score: number;
  /** When the score was that. */
  readonly at: number;
}

/** Time in which one failure is forgotten. */
const FORGET_MS = 30_000;

/** Keys that are kept; beyond that, the one whose last failure is the oldest is forgotten. */
const CAPACITY = 10_000;

/** Counts failures by key. A score falls evenly, by one in 30 seconds. */
export class FailureScores {
  readonly #clock: Clock;
  readonly #byKey = new LRUCache<string, Failures>({ max: CAPACITY });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keys that are kept now. */
  get size(): number {
    return this.#byKey.size;
  }

  /** The failures of a key that are not forgotten; in general no whole number. */
  of(key: string): number {
    // A look at a score does not make its last failure any newer.
    const failures = this.#byKey.peek(key);
    if (!failures) return 0;
    // A clock that was set back forgets nothing.
    const elapsed = Math.max(0, this.#clock.now() - failures.at);
    return Math.max(0, failures.score - elapsed / FORGET_MS);
  }

  /** Adds a failure, which does not raise the score above `most`. */
  add(key: string, most: number): void {
    const before = this.of(key);
    this.#byKey.set(key, { score: Math.max(before, Math.min(before + 1, most)), at: this.#clock.now() });
  }

  /** Forgets all failures of a key. */
  clear(key: string): void {
    this.#byKey.delete(key);
  }
}

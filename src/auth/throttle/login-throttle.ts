import type { Clock } from "../../core/clock.ts";
import { isThenable } from "../../core/values/basics.ts";
import type { Authentication } from "../authenticator.ts";
import { type HeldLogin, HeldLogins } from "./held-logins.ts";
import { type Login, type LoginDelay, LoginDelays, NO_DELAY, type SharedLoginFailures } from "./login-delays.ts";
import { LoginQueue } from "./login-queue.ts";

/** Slows guessing of passwords, and limits concurrent checks (docs/decisions.md, "Guessing of passwords"). */
export class LoginThrottle {
  readonly #delays: LoginDelays;
  readonly #queue: LoginQueue;
  readonly #slows: boolean;
  readonly #shared: SharedLoginFailures | undefined;
  readonly #held: HeldLogins;

  /** `checksAtATime` passwords are checked at the same time; no delay is longer than `maxDelayMs`, and 0 slows nothing. */
  constructor(clock: Clock, checksAtATime: number, maxDelayMs: number, shared?: SharedLoginFailures) {
    this.#delays = new LoginDelays(clock, maxDelayMs);
    this.#slows = maxDelayMs > 0;
    this.#queue = new LoginQueue(clock, checksAtATime, !this.#slows);
    this.#shared = shared;
    this.#held = new HeldLogins(clock, maxDelayMs);
    shared?.listen((guess) => this.#delays.guessed(guess));
  }

  /**
   * True when the password may be checked, after which {@link leave} has to be called; false when too many wait already.
   * `first` are credentials that were right before, and those that were held until their turn: they are never delayed, and always find a place.
   */
  enter(login: Login, first: boolean): boolean | Promise<boolean> {
    if (first) return this.#queue.enter({ ...NO_DELAY, origin: login.origin, proven: true });
    const delay = this.#delays.of(login);
    const entered = this.#queue.enter({ ...delay, origin: login.origin, proven: false });
    return isThenable(entered) ? this.#entered(login, delay, entered) : entered;
  }

  /** The result for a login that found no place: the refusal, later, unless its turn comes before and it is right. */
  hold(refusal: Authentication, login: HeldLogin): Authentication | Promise<Authentication> {
    return this.#slows ? this.#held.hold(refusal, login) : refusal;
  }

  leave(): void {
    this.#queue.leave();
  }

  /** The password was wrong. */
  failed(login: Login): void {
    const { user, origin } = login;
    if (this.#delays.failed(login)) this.#shared?.tell({ user, origin });
  }

  /** The password was right. */
  succeeded(login: Login): void {
    this.#delays.succeeded(login);
  }

  /** A login that entered with a burst before there was a delay is delayed now, if the burst has failed. */
  async #entered(login: Login, { delayMs }: LoginDelay, entering: Promise<boolean>): Promise<boolean> {
    if (!(await entering)) return false;
    const delay = delayMs === 0 ? this.#delays.of(login) : NO_DELAY;
    if (delay.delayMs === 0) return true;
    this.#queue.leave();
    return this.#queue.enter({ ...delay, origin: login.origin, proven: false });
  }
}

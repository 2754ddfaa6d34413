import { BusyPeriod } from "./busy-period.ts";
import { AdminError } from "./errors.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { ReadLimit } from "./read-limit.ts";
import { RoundRobin } from "./round-robin.ts";
import { UseByUser } from "./use-by-user.ts";

/** Bounds on the work that reads cause in this process. */
export interface ReadScheduleOptions {
  /** Milliseconds that reads may use before everything else that has arrived is served; 2 unless given. */
  readonly turnMs?: number;
  /** Answers with many rows that are worked on at once; 2 unless given. More would only be done later, and fill the memory. */
  readonly maxLong?: number;
}

interface Job {
  readonly since: number;
  /** Works until it is done or `until`, in monotonic milliseconds, has passed. Never throws. */
  readonly work: (until: number) => void;
}

/** While a stop is under way, reads get this part of their time, and pause for as long as the factor says. */
const SHARE_BESIDE_STOPS = 0.2;
const PAUSE_FACTOR_BESIDE_STOPS = 4;
const MAX_PAUSE_MS = 50;

/** Reads that may wait for their turn, of all users and of one. Further ones are answered 429. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 250;

/** Work that has waited for longer than this is a sign of congestion. */
const PATIENCE_MS = 50;

/** Large answers that come one upon another for longer than this are more than can be passed on. */
const LONG_PATIENCE_MS = 500;

/** Each large answer that waits takes megabytes. */
const MAX_LONG_WAITING = 16;

/**
 * Decides when the work of reads is done on the one thread there is (decisions, "asymmetric safety"). As long as there is
 * little of it, it is done at once. Beyond the time of a turn it waits, users taking turns, and the event loop serves what has
 * arrived in between, stops above all. Never idle: without anything else to do, reads get all the time there is.
 */
export class ReadSchedule {
  /** How many reads may be under way at the engine. */
  readonly limit = new ReadLimit();
  readonly #turnMs: number;
  readonly #maxLong: number;
  readonly #jobs = new RoundRobin<Job>();
  /** New reads that wait. */
  readonly #waiting = new UseByUser();
  /** Large answers that are worked on. */
  #long = 0;
  readonly #longWaiting: (() => void)[] = [];
  readonly #bringing = new BusyPeriod();
  /** What brings further large answers. */
  readonly #bringers: (() => void)[] = [];
  #queued = 0;
  #stops = 0;
  #turnBegan = 0;
  #spentMs = 0;
  #notBefore = 0;

  constructor(options: ReadScheduleOptions = {}) {
    this.#turnMs = options.turnMs ?? 2;
    this.#maxLong = options.maxLong ?? 2;
  }

  /** Reads of all users that wait for their turn now. */
  get waiting(): number {
    return this.#waiting.total;
  }

  /** Does a task for a user, at once or in a later turn. Throws `ENGINE_OVERLOADED` when too many wait. */
  run<T>(user: string, task: () => MaybePromise<T>): MaybePromise<T> {
    const now = performance.now();
    if (this.#mayWork(now)) {
      try {
        return task();
      } finally {
        this.#spentMs += performance.now() - now;
      }
    }
    this.#admit(user);
    return new Promise((resolve, reject) => {
      const work = (): void => {
        this.#waiting.remove(user);
        try {
          resolve(task());
        } catch (error) {
          reject(error);
        }
      };
      this.#enqueue(user, work);
    });
  }

  /** Does the steps that bring an answer with many rows, once there is room for one more; `by` takes turns with the users. */
  async whenRoom<T>(by: string, steps: Iterator<void, T>): Promise<T> {
    const since = performance.now();
    if (this.#bringing.begin(since) > LONG_PATIENCE_MS) this.limit.congested(since);
    if (this.#long >= this.#maxLong) await new Promise<void>((resolve) => this.#bringers.push(resolve));
    const brought = await this.#inSteps(by, steps, since);
    this.#bringing.end(performance.now());
    return brought;
  }

  /**
   * Does the work on an answer with many rows in steps, as the time of the turns allows, a few answers at a time. Rejects with
   * `ENGINE_OVERLOADED` when too many wait.
   */
  async steps<T>(user: string, steps: Iterator<void, T>): Promise<T> {
    if (this.#long >= this.#maxLong) await this.#longTurn();
    else this.#long += 1;
    try {
      return await this.#inSteps(user, steps);
    } finally {
      this.#longDone();
    }
  }

  /** Resolves when a place has been handed over. */
  #longTurn(): Promise<void> {
    this.limit.congested(performance.now());
    if (this.#longWaiting.length >= MAX_LONG_WAITING) {
      throw new AdminError("ENGINE_OVERLOADED", "Too many large answers are under way; ask for less, or later");
    }
    return new Promise((resolve) => this.#longWaiting.push(resolve));
  }

  /** Those who wait with an answer at hand come before those who would bring further ones. */
  #longDone(): void {
    const next = this.#longWaiting.shift();
    if (next) {
      next();
      return;
    }
    this.#long -= 1;
    this.#bringers.shift()?.();
  }

  #inSteps<T>(user: string, steps: Iterator<void, T>, since?: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const work = (until: number): void => {
        try {
          let step = steps.next();
          while (!step.done && performance.now() < until) step = steps.next();
          if (step.done) resolve(step.value);
          else this.#enqueue(user, work);
        } catch (error) {
          reject(error);
        }
      };
      this.#enqueue(user, work, since);
    });
  }

  /** A stop begins: until the returned function is called, reads keep out of its way. */
  makeWay(): () => void {
    this.#stops += 1;
    return () => {
      this.#stops -= 1;
    };
  }

  get #budgetMs(): number {
    return this.#stops > 0 ? this.#turnMs * SHARE_BESIDE_STOPS : this.#turnMs;
  }

  #mayWork(now: number): boolean {
    if (this.#queued > 0 || now < this.#notBefore) return false;
    // Other events have had their time since, or there were none.
    if (now - this.#turnBegan - this.#spentMs > this.#turnMs) this.#beginTurn(now);
    return this.#spentMs < this.#budgetMs;
  }

  #beginTurn(now: number): void {
    this.#turnBegan = now;
    this.#spentMs = 0;
  }

  #admit(user: string): void {
    if (this.#waiting.total < MAX_WAITING && this.#waiting.of(user) < MAX_WAITING_OF_USER) {
      this.#waiting.add(user);
      return;
    }
    throw new AdminError("ENGINE_OVERLOADED", "Too many reads are waiting; nothing was sent");
  }

  #enqueue(user: string, work: Job["work"], since = performance.now()): void {
    this.#jobs.push(user, { since, work });
    this.#queued += 1;
    if (this.#queued === 1) this.#awaitTurn(performance.now());
  }

  #awaitTurn(now: number): void {
    const pause = this.#notBefore - now;
    if (pause > 0) setTimeout(() => this.#turn(), pause);
    else setImmediate(() => this.#turn());
  }

  #turn(): void {
    const began = performance.now();
    this.#beginTurn(began);
    const until = began + this.#budgetMs;
    let now = began;
    while (now < until) {
      const job = this.#jobs.shift();
      if (!job) break;
      if (now - job.since > PATIENCE_MS) this.limit.congested(now);
      job.work(until);
      // Only now, so that what the job queues again does not begin a turn of its own.
      this.#queued -= 1;
      now = performance.now();
    }
    this.#spentMs = now - began;
    if (this.#stops > 0) this.#notBefore = now + Math.min(MAX_PAUSE_MS, this.#spentMs * PAUSE_FACTOR_BESIDE_STOPS);
    if (this.#queued > 0) this.#awaitTurn(now);
  }
}

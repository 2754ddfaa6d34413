import { type Clock, monotonicMs } from "../clock.ts";
import { AdminError } from "../errors.ts";
import { throwUncaught } from "../values/basics.ts";
import { CallerQueue } from "./caller-queue.ts";
import { Quota } from "./quota.ts";
import { type Priority, StopPriority } from "./stop-priority.ts";
import type { Turns } from "./turns.ts";

/** A unit of work of one caller, run without interruption. */
export type Job = () => void;

/** Milliseconds that stops may run before new I/O, other stops above all, is polled. */
const STOPS_TURN_MS = 4;

/**
 * While a stop is in progress, or connections arrive that may carry one, other work pauses for this multiple of the time of the turn
 * before, and has one part in 1 + PAUSE_FACTOR of its budget.
 */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 50;

/** Quota of waiting calls, in total and per caller. Waiting connections are limited by their own number. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_CALLER = 250;

/**
 * Schedules work on the single thread. All work except stops shares a small time budget per turn of the event loop.
 * Remaining work waits for a later turn; callers are served round-robin, and new I/O is polled in between. Stops run first. An
 * otherwise idle process spends all its time on the work.
 *
 * The ways in:
 * - `schedule`, `scheduleAfter`: a function, such as the reaction to an event or a timer;
 * - `admit`: a new call, or one whose body has arrived, which is refused if too many wait;
 * - `reenter`: a call that has waited elsewhere, as for a disk or the engine, and is never refused;
 * - `turns`: long work, which pauses between its pieces;
 * - `endOfTurn`: what is cheaper when it is done together;
 * - `announceStop`, `announceConnection`: what other work yields to.
 *
 * @example
 * const gate = new Gate(systemClock);
 * const transport = new WebSocketTransport({ url, gate });
 * const api = new AdminApi({ transport, audit, gate });
 */
export class Gate {
  readonly stopPriority: StopPriority;
  readonly #clock: Clock;
  readonly #budgetMs: number;
  readonly #stops = new CallerQueue<Job>();
  readonly #others = new CallerQueue<Job>();
  /** Waiting calls, except stops. */
  readonly #waiting = new Quota(MAX_WAITING, MAX_WAITING_OF_CALLER);
  /** Resolves at the end of the current turn of the event loop; undefined while the turn has no work. */
  #turnEnds: Promise<void> | undefined;
  #turnBegan = 0;
  /** End of the pause of other work. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Whether a job is running: nested requests for a turn are part of it. */
  #inJob = false;
  /** The queues of which a call has reentered immediately in this turn. */
  readonly #reentered = new Set<CallerQueue<Job>>();
  /** Stops that have passed their checks and are being carried out: other work yields to them. */
  #stopsInProgress = 0;
  /** Turns, this one included, in which other work yields to connections. */
  #turnsForConnections = 0;

  /** `budgetMs`: milliseconds per turn for all work except stops. */
  constructor(clock: Clock, budgetMs = 1) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.stopPriority = new StopPriority(clock);
  }

  /** Runs a job: immediately if the budget allows, otherwise in its turn. */
  schedule(caller: string, priority: Priority, job: Job): void {
    const queue = this.#queueFor(priority);
    if (this.#mayBegin(queue)) this.#run(job);
    else this.#enqueue(queue, caller, job);
  }

  /**
   * Admits a call whose head or body has arrived: undefined if it may start immediately, otherwise a promise of its turn. Throws
   * `ENGINE_OVERLOADED` when too many calls wait; a stop is refused only if its caller has lost the priority of stops.
   */
  admit(caller: string, priority: Priority): Promise<void> | undefined {
    const queue = this.#queueFor(priority);
    if (this.#inJob || this.#mayBegin(queue)) return undefined;
    if (priority !== "other") return new Promise((begin) => this.#enqueue(queue, caller, begin));
    if (!this.#waiting.hasRoom(caller)) {
      throw new AdminError("ENGINE_OVERLOADED", "Too many requests are waiting; nothing was sent");
    }
    this.#waiting.take(caller);
    return new Promise((begin) => {
      this.#enqueue(queue, caller, () => {
        this.#waiting.release(caller);
        begin();
      });
    });
  }

  /**
   * Resolves at a turn for a call that has waited elsewhere, never refused: one event may unblock hundreds of them. Only the first
   * stop and the first other call in a turn continue immediately: how long these take is not known when the others ask.
   */
  reenter(caller: string, priority: Priority = "other"): Promise<void> {
    const queue = this.#queueFor(priority);
    if (this.#mayBegin(queue) && !this.#reentered.has(queue)) {
      this.#reentered.add(queue);
      return Promise.resolve();
    }
    return new Promise((proceed) => this.#enqueue(queue, caller, proceed));
  }

  /** Runs a job in its turn after a delay, so that timers with the same due time do not all fire in one turn. */
  scheduleAfter(delayMs: number, caller: string, priority: Priority, job: Job): () => void {
    return this.#clock.schedule(delayMs, () => this.schedule(caller, priority, job));
  }

  /** Turns for one piece of long work, except a stop: what has begun in a turn of the event loop continues while its budget lasts. */
  turns(caller: string): Turns {
    let began: Promise<void> | undefined;
    return {
      isOver: () => {
        const isRunning = began !== undefined && began === this.#turnEnds;
        if (isRunning) return !this.#hasTimeFor(this.#others);
        if (!this.#mayBegin(this.#others)) return true;
        began = this.#turnEnds;
        return false;
      },
      next: () =>
        new Promise((proceed) =>
          this.#enqueue(this.#others, caller, () => {
            began = this.#turnEnds;
            proceed();
          }),
        ),
    };
  }

  /**
   * Resolves when the work of this turn is done. Responses written back to back are cheaper: spread out, each would wake a sleeping
   * caller.
   */
  endOfTurn(): Promise<void> {
    this.#openTurn();
    return this.#turnEnds ?? Promise.resolve();
  }

  /** Announces a stop that has passed its checks: other work yields until the returned function is called. */
  announceStop(user: string): () => void {
    const end = this.stopPriority.count(user);
    this.#stopsInProgress += 1;
    return () => {
      end();
      this.#stopsInProgress -= 1;
      // Resume paused work.
      this.#openTurn();
    };
  }

  /**
   * Announces an accepted connection. libuv 1.45 and later accept one pending connection per turn of the event loop, so turns have to
   * be short.
   */
  announceConnection(): void {
    this.#openTurn();
    this.#turnsForConnections = 2;
  }

  /** Whether other work yields to a stop, or to a connection that may carry one. */
  get yields(): boolean {
    return this.#stopsInProgress > 0 || this.#turnsForConnections > 0;
  }

  #now(): number {
    return monotonicMs(this.#clock);
  }

  /** Whether time is left in this turn. */
  #hasTimeFor(queue: CallerQueue<Job>): boolean {
    const ofOthers = this.yields ? this.#budgetMs / (1 + PAUSE_FACTOR) : this.#budgetMs;
    return this.#now() < this.#turnBegan + (queue === this.#stops ? STOPS_TURN_MS : ofOthers);
  }

  /** Whether other work is paused; the pause ends with its reason. */
  get #isPaused(): boolean {
    return this.yields && this.#now() < this.#pausedUntil;
  }

  #queueFor(priority: Priority): CallerQueue<Job> {
    return priority === "stop" ? this.#stops : this.#others;
  }

  #mayBegin(queue: CallerQueue<Job>): boolean {
    this.#openTurn();
    if (queue.size > 0 || !this.#hasTimeFor(queue)) return false;
    return queue === this.#stops || (this.#stops.size === 0 && !this.#isPaused);
  }

  #enqueue(queue: CallerQueue<Job>, caller: string, job: Job): void {
    queue.push(caller, job);
    this.#openTurn();
  }

  /** A turn begins with the first work after the event loop has polled for I/O. */
  #openTurn(): void {
    if (this.#turnEnds) return;
    this.#turnBegan = this.#now();
    this.#reentered.clear();
    this.#turnEnds = new Promise((resolve) => setImmediate(() => resolve(this.#endTurn())));
  }

  async #endTurn(): Promise<void> {
    await this.#runQueue(this.#stops);
    if (!this.#isPaused) {
      await this.#runQueue(this.#others);
      const now = this.#now();
      if (this.yields) this.#pausedUntil = now + Math.min(MAX_PAUSE_MS, (now - this.#turnBegan) * PAUSE_FACTOR);
    }
    this.#turnEnds = undefined;
    this.#turnsForConnections = Math.max(0, this.#turnsForConnections - 1);
    if (this.#stops.size > 0 || this.#others.size > 0) this.#nextTurn();
  }

  /** Runs jobs while there is budget, and at least one, so that the queue always drains. */
  async #runQueue(jobs: CallerQueue<Job>): Promise<void> {
    for (let job = jobs.shift(); job; job = this.#hasTimeFor(jobs) ? jobs.shift() : undefined) {
      // One job's exception must not affect the others: it is rethrown uncaught, as it would be without a gate.
      try {
        this.#run(job);
      } catch (error) {
        throwUncaught(error);
      }
      // The microtasks of a job count as part of its time.
      await undefined;
    }
  }

  #nextTurn(): void {
    const pauseMs = this.#pausedUntil - this.#now();
    const waitsForStop = pauseMs > 0 && this.#stopsInProgress > 0 && this.#stops.size === 0;
    if (waitsForStop) this.#clock.schedule(pauseMs, () => this.#openTurn());
    else this.#openTurn();
  }

  #run(job: Job): void {
    const outer = this.#inJob;
    this.#inJob = true;
    try {
      job();
    } finally {
      this.#inJob = outer;
    }
  }
}

import { type Clock, monotonicMs } from "../clock.ts";
import { AdminError } from "../errors.ts";
import { throwUncaught } from "../values/basics.ts";
import { CallerQueue } from "./caller-queue.ts";
import { UsageByUser } from "./usage-by-user.ts";

/** What a piece of work is for: one that stops something goes before everything else. */
export type Urgency = "stop" | "other";

/** Work of a caller, done in one piece. */
export type Job = () => void;

/** Milliseconds that stops may use at a stretch before what has arrived meanwhile is looked at: other stops, above all. */
const STOPS_TURN_MS = 4;

/** How many times what it used other work rests while a stop is under way, and while connections arrive over which one may come. */
const REST_BESIDE_STOPS = 4;
const REST_BESIDE_CONNECTIONS = 2;
const MAX_REST_MS = 50;

/** Calls that may wait for their turn, of all callers and of one. Connections that wait are bounded by their number. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_CALLER = 250;

/** Stops of one caller in a second that may be refused (401, 403, 429) before its further ones count as other work. */
const MAX_REFUSED_STOPS = 10;
const SECOND_MS = 1_000;

/**
 * Decides when work is done on the one thread there is (D-LOAD 2). In one turn of the event loop all work that is not a stop
 * has a small budget together, whatever it is. What is left waits for a later turn, callers taking turns, and what has arrived is
 * looked at in between. Stops go first. Without anything else to do, work gets all the time there is.
 *
 * @example
 * const gate = new Gate(systemClock);
 * const transport = new WebSocketTransport({ url, gate });
 * const api = new AdminApi({ transport, audit, gate });
 */
export class Gate {
  readonly #clock: Clock;
  readonly #budgetMs: number;
  readonly #stops = new CallerQueue<Job>();
  readonly #others = new CallerQueue<Job>();
  /** Calls that wait for their turn, stops aside. */
  readonly #waiting = new UsageByUser();
  /** Settles at the end of this turn of the event loop; undefined until there is work in it. */
  #turnEnds: Promise<void> | undefined;
  #turnBegan = 0;
  /** Until then other work rests. */
  #restUntil = Number.NEGATIVE_INFINITY;
  /** A job is being done: what it asks for is part of it. */
  #inJob = false;
  #stopsUnderWay = 0;
  #connectionCame = false;
  #refusedStops = new Map<string, number>();
  #refusedSince = Number.NEGATIVE_INFINITY;

  /** `budgetMs`: milliseconds of a turn for work that is not a stop. */
  constructor(clock: Clock, budgetMs = 1) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
  }

  /** Calls of all callers that wait for their turn now. */
  get waiting(): number {
    return this.#waiting.total;
  }

  /** Does a job of a caller: at once if there is time, else when it is its turn. */
  run(caller: string, urgency: Urgency, job: Job): void {
    const isStop = urgency === "stop";
    if (this.#mayBegin(isStop)) {
      this.#do(job);
      return;
    }
    (isStop ? this.#stops : this.#others).push(caller, job);
    this.#openTurn();
  }

  /**
   * For work that goes on asynchronously: undefined if it may begin at once, else a promise of its turn. Throws `ENGINE_OVERLOADED`
   * when too many wait.
   */
  turn(caller: string, urgency: Urgency = "other"): Promise<void> | undefined {
    const isStop = urgency === "stop";
    if (this.#inJob || this.#mayBegin(isStop)) return undefined;
    return isStop ? this.#stopTurn(caller) : this.#otherTurn(caller);
  }

  /** Does a job of a caller after so many milliseconds, when it is its turn: what waited together must not come due together. */
  after(delayMs: number, caller: string, urgency: Urgency, job: Job): () => void {
    return this.#clock.schedule(delayMs, () => this.run(caller, urgency, job));
  }

  /** Does long work in steps, as many at a time as the turns allow. */
  steps<T>(caller: string, work: Iterator<void, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const job = (): void => {
        try {
          let step = work.next();
          while (!step.done && this.hasTime) step = work.next();
          if (step.done) resolve(step.value);
          else this.#again(caller, job);
        } catch (error) {
          reject(error);
        }
      };
      this.run(caller, "other", job);
    });
  }

  /**
   * Resolves when the work of this turn is done. Responses that are written one right after the other cost less: a caller that sleeps
   * meanwhile is woken for each.
   */
  async endOfTurn(): Promise<void> {
    this.#openTurn();
    await this.#turnEnds;
  }

  /** Whether the budget of this turn is not used up. */
  get hasTime(): boolean {
    return this.#now() < this.#turnBegan + this.#budget;
  }

  /** A stop that may be carried out begins: until the returned function is called, other work keeps out of its way. */
  beginStop(): () => void {
    this.#stopsUnderWay += 1;
    return () => {
      this.#stopsUnderWay -= 1;
    };
  }

  /**
   * A connection has been accepted. Of those that wait only one is accepted in each turn of the event loop (libuv 1.45 and later), so
   * the turns have to be short.
   */
  connectionCame(): void {
    this.#openTurn();
    this.#connectionCame = true;
  }

  /** How urgent a request of a caller for a stop is. */
  stopUrgency(caller: string): Urgency {
    const refused = this.#refusedStops.get(caller);
    if (refused === undefined || refused < MAX_REFUSED_STOPS) return "stop";
    return this.#now() - this.#refusedSince > SECOND_MS ? "stop" : "other";
  }

  /** A request for a stop was refused: a caller that lives on going first loses that for a while. */
  stopRefused(caller: string): void {
    const now = this.#now();
    if (now - this.#refusedSince > SECOND_MS) {
      this.#refusedStops = new Map();
      this.#refusedSince = now;
    }
    this.#refusedStops.set(caller, (this.#refusedStops.get(caller) ?? 0) + 1);
  }

  #stopTurn(caller: string): Promise<void> {
    this.#openTurn();
    return new Promise((resolve) => this.#stops.push(caller, resolve));
  }

  #otherTurn(caller: string): Promise<void> {
    this.#checkRoom(caller);
    this.#waiting.add(caller);
    this.#openTurn();
    return new Promise((resolve) => {
      this.#others.push(caller, () => {
        this.#waiting.remove(caller);
        resolve();
      });
    });
  }

  #now(): number {
    return monotonicMs(this.#clock);
  }

  get #restFactor(): number {
    if (this.#stopsUnderWay > 0) return REST_BESIDE_STOPS;
    return this.#connectionCame ? REST_BESIDE_CONNECTIONS : 0;
  }

  get #budget(): number {
    return this.#budgetMs / (1 + this.#restFactor);
  }

  #mayBegin(isStop: boolean): boolean {
    this.#openTurn();
    if (isStop) return this.#stops.size === 0 && this.#now() < this.#turnBegan + STOPS_TURN_MS;
    return this.#others.size === 0 && this.#now() >= this.#restUntil && this.hasTime;
  }

  /** All that happens from the first work after the loop has looked for events belongs to one turn. */
  #openTurn(): void {
    if (this.#turnEnds) return;
    this.#turnBegan = this.#now();
    this.#turnEnds = new Promise((resolve) => setImmediate(() => resolve(this.#endTurn())));
  }

  async #endTurn(): Promise<void> {
    await this.#doAll(this.#stops, () => this.#now() < this.#turnBegan + STOPS_TURN_MS);
    if (this.#now() >= this.#restUntil) {
      await this.#doAll(this.#others, () => this.hasTime);
      this.#rest();
    }
    this.#turnEnds = undefined;
    this.#connectionCame = false;
    if (this.#stops.size > 0 || this.#others.size > 0) this.#nextTurn();
  }

  /** Does jobs while there is time, but one at least: what waits has to come to an end. */
  async #doAll(jobs: CallerQueue<Job>, hasTime: () => boolean): Promise<void> {
    for (let job = jobs.shift(); job; job = hasTime() ? jobs.shift() : undefined) {
      this.#doApart(job);
      // What the job left to promises is part of its time.
      await undefined;
    }
  }

  #rest(): void {
    if (this.#restFactor === 0) return;
    const now = this.#now();
    this.#restUntil = now + Math.min(MAX_REST_MS, (now - this.#turnBegan) * this.#restFactor);
  }

  #nextTurn(): void {
    const restMs = this.#restUntil - this.#now();
    if (restMs > 0 && this.#stops.size === 0) this.#clock.schedule(restMs, () => this.#openTurn());
    else this.#openTurn();
  }

  /** What a job throws is not the other jobs' affair: it is thrown where nothing catches it, as it would be without a gate. */
  #doApart(job: Job): void {
    try {
      this.#do(job);
    } catch (error) {
      throwUncaught(error);
    }
  }

  #do(job: Job): void {
    const outer = this.#inJob;
    this.#inJob = true;
    try {
      job();
    } finally {
      this.#inJob = outer;
    }
  }

  #again(caller: string, job: Job): void {
    this.#others.push(caller, job);
    this.#openTurn();
  }

  #checkRoom(caller: string): void {
    if (this.#waiting.total < MAX_WAITING && this.#waiting.of(caller) < MAX_WAITING_OF_CALLER) return;
    throw new AdminError("ENGINE_OVERLOADED", "Too many requests are waiting; nothing was sent");
  }
}

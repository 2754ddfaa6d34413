import type { Clock } from "../../core/clock.ts";
import type { Timeline } from "./timeline.ts";

/** Epoch milliseconds at which all histories begin. */
const EPOCH = Date.UTC(2026, 0, 5, 9, 30);

/** How long after a pause the timers of a process run where what has come in the meantime goes first. */
const INPUT_FIRST_MS = 1;

/** A machine: its wall clock may be wrong and may be set, its monotonic clock goes right. */
export class Machine {
  readonly name: string;
  /** Milliseconds by which the wall clock is ahead of the world's time. */
  aheadMs: number;

  constructor(name: string, aheadMs: number) {
    this.name = name;
    this.aheadMs = aheadMs;
  }

  /** Wall clock at a time of the world. */
  wall(time: number): number {
    return Math.floor(EPOCH + time + this.aheadMs);
  }
}

/**
 * A process on a machine, from its start until it is killed. While it is paused, as by SIGSTOP, nothing of it runs: timers that are due
 * and messages that come wait until it continues.
 */
export class Process {
  readonly clock: Required<Clock>;
  readonly #timeline: Timeline;
  readonly #waiting: (() => void)[] = [];
  #background: { readonly ms: number; readonly task: () => void; next: number }[] = [];
  #isAlive = true;
  #pausedAt: number | undefined;
  /** The time that a task of the background sees, which is run when somebody may notice. */
  #view: number | undefined;

  constructor(machine: Machine, timeline: Timeline) {
    this.#timeline = timeline;
    this.clock = {
      now: () => machine.wall(this.#now),
      monotonic: () => this.#now,
      schedule: (delayMs, task) => this.#schedule(delayMs, task),
      every: (ms, task) => this.#every(ms, task),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pausedAt(): number | undefined {
    return this.#pausedAt;
  }

  /** Runs a task: now, when the process continues, or never where it is dead. */
  run(task: () => void): void {
    if (!this.#isAlive) return;
    if (this.#pausedAt !== undefined) {
      this.#waiting.push(task);
      return;
    }
    this.#catchUp();
    task();
  }

  pause(): void {
    if (!this.#isAlive || this.#pausedAt !== undefined) return;
    this.#catchUp();
    this.#pausedAt = this.#timeline.now;
  }

  /** Lets everything happen that has waited; the order of timers and input after a pause is as chance has it. */
  continue(timersFirst: boolean): void {
    if (this.#pausedAt === undefined) return;
    this.#pausedAt = undefined;
    const now = this.#timeline.now;
    for (const background of this.#background) background.next = timersFirst ? now : now + INPUT_FIRST_MS;
    for (const task of this.#waiting.splice(0)) this.#timeline.at(now, () => this.run(task));
  }

  kill(): void {
    this.#isAlive = false;
    this.#waiting.length = 0;
    this.#background = [];
  }

  get #now(): number {
    return this.#view ?? this.#timeline.now;
  }

  #schedule(delayMs: number, task: () => void): () => void {
    let isCancelled = false;
    const cancel = this.#timeline.after(Math.max(0, delayMs), () =>
      this.run(() => {
        if (!isCancelled) task();
      }),
    );
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  #every(ms: number, task: () => void): () => void {
    const background = { ms, task, next: this.#timeline.now + ms };
    this.#background.push(background);
    return () => {
      this.#background = this.#background.filter((other) => other !== background);
    };
  }

  /** Runs what was due in the background; of all these turns only the last two can make a difference. */
  #catchUp(): void {
    const { now } = this.#timeline;
    for (const background of this.#background) {
      const missed = Math.floor((now - background.next) / background.ms);
      if (missed > 2) background.next += (missed - 2) * background.ms;
      for (; background.next <= now; background.next += background.ms) {
        this.#view = background.next;
        background.task();
      }
      this.#view = undefined;
    }
  }
}

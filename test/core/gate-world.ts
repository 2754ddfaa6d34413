import { Gate } from "../../src/core/load/gate.ts";
import { forEachInTurns } from "../../src/core/load/turns.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

export const BUDGET_MS = 2;

/** A gate whose time passes only in jobs, and what was done in which turn of the event loop. */
export class World {
  readonly clock = new ManualClock();
  readonly gate = new Gate(this.clock, BUDGET_MS);
  readonly done: string[] = [];

  /** A job that takes so long. */
  job(name: string, ms: number): () => void {
    return () => {
      this.done.push(name);
      this.clock.advance(ms);
    };
  }

  /** Work of a caller that takes as long as the budget of a turn. */
  work(caller: string, name: string = caller): void {
    this.gate.schedule(caller, "other", this.job(name, BUDGET_MS));
  }

  /** Long work of a caller in pieces that take so long. */
  async long(caller: string, pieces: readonly string[], ms: number): Promise<void> {
    const turns = this.gate.turns(caller);
    await forEachInTurns(turns, pieces, (piece) => this.job(piece, ms)());
  }

  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await nextTurn();
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

import type { Turns } from "../../src/core/load/turns.ts";

/** Turns of one piece each, counted; `between` happens before each. */
export class CountedTurns implements Turns {
  count = 0;
  readonly #between: (turn: number) => void;

  constructor(between: (turn: number) => void = () => {}) {
    this.#between = between;
  }

  isOver(): boolean {
    return true;
  }

  async next(): Promise<void> {
    this.#between(this.count);
    this.count += 1;
  }
}

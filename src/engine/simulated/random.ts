/** Chance from a seed: equal seeds give equal numbers (SplitMix32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** From `least` to `most`, with a fraction. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** True once in `n` draws on average. */
  oneIn(n: number): boolean {
    return this.whole(1, n) === 1;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new RangeError("There is nothing to choose from");
    return choice;
  }

  /** A seed for a separate part, so that what happens there changes nothing elsewhere. */
  seed(): number {
    return this.whole(0, 2 ** 32 - 1);
  }
}

import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Source of repeatable chance: equal seeds draw equal values. */
export interface Random {
  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** True once in `n` draws on average. */
  oneIn(n: number): boolean;
  /** One of the items; `undefined` when there are none. */
  pick<T>(items: readonly T[]): T | undefined;
}

/** Makes a source of chance from a 32-bit seed. */
export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const integer = (least: number, most: number): number => uniformInt(generator, least, most);
  return {
    integer,
    oneIn: (n) => integer(1, n) === 1,
    pick: (items) => (items.length === 0 ? undefined : items[integer(0, items.length - 1)]),
  };
}

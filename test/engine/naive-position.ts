/**
 * A second, independent average-cost computation for property tests: whole numbers only.
 * Sizes count hundredths, prices and averages count 1e-12; money counts 1e-14.
 */

export interface NaiveTrade {
  readonly symbol: string;
  readonly side: "Buy" | "Sell";
  readonly size: string;
  readonly price: string;
}

export interface NaivePosition {
  size: bigint;
  average: bigint;
  realized: bigint;
  /** Sum of the absolute notionals. */
  turnover: bigint;
  /** Money received less money paid. */
  cash: bigint;
}

const SIZE_DECIMALS = 2;
const PRICE_DECIMALS = 12;
export const MONEY_DECIMALS = SIZE_DECIMALS + PRICE_DECIMALS;

function scaled(text: string, decimals: number): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Prints `value` counted in units of 10^-decimals without needless zeros. */
export function printScaled(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  const text = `${digits.slice(0, cut)}.${digits.slice(cut)}`.replace(/\.?0*$/, "");
  return value < 0n ? `-${text}` : text;
}

function roundedHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const away = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return away ? quotient + 1n : quotient;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Position in one instrument after trades in it, oldest first. */
export function naivePosition(trades: readonly NaiveTrade[], multiplier: bigint): NaivePosition {
  const state: NaivePosition = { size: 0n, average: 0n, realized: 0n, turnover: 0n, cash: 0n };
  for (const { side, size, price } of trades) {
    let left = scaled(size, SIZE_DECIMALS);
    const at = scaled(price, PRICE_DECIMALS);
    const sign = side === "Buy" ? 1n : -1n;
    state.turnover += left * at * multiplier;
    state.cash -= sign * left * at * multiplier;
    if (state.size * sign < 0n) {
      let closed = magnitude(state.size);
      if (left < closed) closed = left;
      state.realized += -sign * (at - state.average) * closed * multiplier;
      state.size += sign * closed;
      left -= closed;
    }
    if (left === 0n) continue;
    const held = magnitude(state.size);
    state.average = roundedHalfEven(held * state.average + left * at, held + left);
    state.size += sign * left;
  }
  return state;
}

/** What the API tells of a position in one instrument at a market price. */
export function toldPosition(state: NaivePosition, mark: string, multiplier: bigint): Record<string, string | null> {
  const at = scaled(mark, PRICE_DECIMALS);
  return {
    size: printScaled(state.size, SIZE_DECIMALS),
    averageCost: state.size === 0n ? null : printScaled(state.average, PRICE_DECIMALS),
    realizedPnL: printScaled(state.realized, MONEY_DECIMALS),
    unrealizedPnL: printScaled((at - state.average) * state.size * multiplier, MONEY_DECIMALS),
    marketValue: printScaled(at * state.size * multiplier, MONEY_DECIMALS),
  };
}

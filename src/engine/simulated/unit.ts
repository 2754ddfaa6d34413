import type { Decimal } from "decimal.js";
import { SYMBOL_KEYS } from "../../core/values/projection.ts";
import { notional, type Order, type Side } from "./order.ts";

/** Unit of a node's size: units of its instrument, contracts of its root symbol, or money of its currency. */
export type Unit = "instrument" | "contracts" | "money";

/** The unit of a position projection, decided by the first symbol key it holds. */
export function unitOf(keys: readonly string[]): Unit {
  if (keys.includes("Symbol")) return "instrument";
  return keys.includes("RootSymbol") ? "contracts" : "money";
}

/** The keys of a projection that a position carries in fields: all, but only the first of the symbol keys. */
export function shownKeys(keys: readonly string[]): string[] {
  const [, ...hidden] = SYMBOL_KEYS.filter((key) => keys.includes(key));
  return keys.filter((key) => !hidden.some((other) => other === key));
}

/** Part of an order as a node counts it. */
export interface Leg {
  readonly side: Side;
  /** In the unit of the node, without sign. */
  readonly size: Decimal;
}

/**
 * `size` of an order at `price` in the unit of a node. In money the sides are swapped: who buys an instrument sells
 * the currency it is priced in.
 */
export function legOf(unit: Unit, { side, instrument }: Order, size: Decimal, price: Decimal): Leg {
  if (unit !== "money") return { side, size };
  return { side: side === "Buy" ? "Sell" : "Buy", size: notional(instrument, size, price) };
}

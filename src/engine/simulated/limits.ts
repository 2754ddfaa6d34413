import type { Decimal } from "decimal.js";
import { exact } from "../../core/values/exact-decimal.ts";

/** Values compared with limits: of an order and its node, as if the order were accepted. */
export interface Measures {
  readonly orderSize: Decimal;
  readonly orderNotional: Decimal;
  /** Position if all open buys and this order were filled; `null` for a sell, which cannot make it longer. */
  readonly longPosition: Decimal | null;
  /** Position short if all open sells and this order were filled; `null` for a buy. */
  readonly shortPosition: Decimal | null;
  readonly openOrders: Decimal;
}

/** A limit that the simulated engine enforces. */
interface LimitDefinition {
  /** Begins the reason of a refusal. MaxOrderNotional has no published number. */
  readonly code: string;
  readonly measure: keyof Measures;
  readonly wording: string;
  /** Whether it counts the position of a node, which only nodes with a symbol key have. */
  readonly needsPosition?: true;
}

const LIMITS: Readonly<Record<string, LimitDefinition>> = {
  MaxOrderSize: { code: "5001 MAX_ORDER_SIZE", measure: "orderSize", wording: "order size" },
  MaxOrderNotional: { code: "MAX_ORDER_NOTIONAL", measure: "orderNotional", wording: "order notional" },
  MaxPositionLong: {
    code: "5002 MAX_LONG_POSITION_SIZE",
    measure: "longPosition",
    wording: "long position with open orders",
    needsPosition: true,
  },
  MaxPositionShort: {
    code: "5003 MAX_SHORT_POSITION_SIZE",
    measure: "shortPosition",
    wording: "short position with open orders",
    needsPosition: true,
  },
  MaxOpenOrdersCount: { code: "5016 MAX_OPEN_ORDERS_COUNT", measure: "openOrders", wording: "number of open orders" },
};

/** Names of all limits that an installation may configure. */
export const LIMIT_NAMES: readonly string[] = Object.keys(LIMITS);

/** The limit of that name; `undefined` when the simulated engine enforces no such limit. */
export function limitDefinition(name: string): LimitDefinition | undefined {
  return Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
}

/** Says how a limit is exceeded; `undefined` when it is not. `limit` is the text of the table, `null` is unlimited. */
export function breach(name: string, limit: string | null, measures: Measures, node: string): string | undefined {
  const definition = limitDefinition(name);
  if (!definition || limit === null) return undefined;
  const measured = measures[definition.measure];
  if (measured === null || measured.lte(exact(limit))) return undefined;
  const where = node === "" ? "system-wide" : `at ${node}`;
  return `${definition.code}: ${definition.wording} ${measured.toFixed()} exceeds ${name} ${limit} ${where}`;
}

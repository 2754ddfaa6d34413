import type { Decimal } from "decimal.js";
import type { z } from "zod";
import type { position } from "../../core/operations/positions.ts";
import { positionField } from "../../core/values/projection.ts";
import type { Valuation } from "./holding.ts";
import type { Attributes } from "./node.ts";
import { printValue } from "./numbers.ts";
import type { Side } from "./order.ts";
import { shownKeys } from "./unit.ts";

/** A position as the API shows it. Readers share it, therefore it is frozen. */
export type PositionRow = z.output<ReturnType<typeof position>>;

/** The fields that name a node. */
export type NodeIdentity = Pick<PositionRow, "projection">;

/** What a node has counted besides its holding. */
export interface Counted {
  readonly commission: Decimal;
  /** Size of open orders. */
  readonly open: Readonly<Record<Side, Decimal>>;
}

/** The identity of the node at `path`; `keys` are those of its projection. */
export function nodeIdentity(path: string, keys: readonly string[], attributes: Attributes): NodeIdentity {
  const fields = shownKeys(keys).map((key) => [positionField(key), attributes[key] ?? ""]);
  return { projection: path, ...Object.fromEntries(fields) };
}

/** Prints a position. */
export function printRow(identity: NodeIdentity, valuation: Valuation, { commission, open }: Counted): PositionRow {
  const values = {
    size: printValue(valuation.size),
    averageCost: printValue(valuation.averageCost),
    realizedPnL: printValue(valuation.realizedPnL),
    ...printPriced(valuation),
    totalCommission: printValue(commission),
    openBuySize: printValue(open.Buy),
    openSellSize: printValue(open.Sell),
  };
  return Object.freeze(Object.assign({}, identity, values));
}

/** Prints a position of which nothing has changed but market prices. */
export function reprintRow(row: PositionRow, valuation: Valuation): PositionRow {
  return Object.freeze(Object.assign({}, row, printPriced(valuation)));
}

function printPriced({ unrealizedPnL, marketValue }: Valuation): Pick<PositionRow, "unrealizedPnL" | "marketValue"> {
  return { unrealizedPnL: printValue(unrealizedPnL), marketValue: printValue(marketValue) };
}

import type { Decimal } from "decimal.js";
import type { z } from "zod";
import { type position, positionField } from "../../core/operations/positions.ts";
import type { Valuation } from "./holding.ts";
import type { Attributes } from "./node.ts";
import { tell } from "./numbers.ts";
import type { Side } from "./order.ts";
import { toldKeys } from "./unit.ts";

/** A position as the API shows it. Readers share it, therefore it is frozen. */
export type Position = z.output<ReturnType<typeof position>>;

/** The fields that name a node. */
export type Identity = Pick<Position, "projection">;

/** What a node has counted besides its holding. */
export interface Counted {
  readonly commission: Decimal;
  /** Size of open orders. */
  readonly open: Readonly<Record<Side, Decimal>>;
}

/** The identity of the node at `path`; `keys` are those of its projection. */
export function identityOf(path: string, keys: readonly string[], attributes: Attributes): Identity {
  const fields = toldKeys(keys).map((key) => [positionField(key), attributes[key] ?? ""]);
  return { projection: path, ...Object.fromEntries(fields) };
}

/** Prints a position. */
export function printRow(identity: Identity, valuation: Valuation, { commission, open }: Counted): Position {
  const values = {
    size: tell(valuation.size),
    averageCost: tell(valuation.averageCost),
    realizedPnL: tell(valuation.realizedPnL),
    ...printPriced(valuation),
    totalCommission: tell(commission),
    openBuySize: tell(open.Buy),
    openSellSize: tell(open.Sell),
  };
  return Object.freeze(Object.assign({}, identity, values));
}

/** Prints a position of which nothing has changed but market prices. */
export function reprintRow(row: Position, valuation: Valuation): Position {
  return Object.freeze(Object.assign({}, row, printPriced(valuation)));
}

function printPriced({ unrealizedPnL, marketValue }: Valuation): Pick<Position, "unrealizedPnL" | "marketValue"> {
  return { unrealizedPnL: tell(unrealizedPnL), marketValue: tell(marketValue) };
}

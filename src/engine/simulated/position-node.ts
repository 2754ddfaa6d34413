import type { Decimal } from "decimal.js";
import type { z } from "zod";
import type { position } from "../../core/operations/positions.ts";
import { printValue, ZERO } from "../../core/values/exact-decimal.ts";
import { positionField } from "../../core/values/projection.ts";
import type { Adjustment, Holding, Valuation } from "./holding.ts";
import type { Attributes } from "./node.ts";
import type { Fill, Side } from "./order.ts";
import { type Leg, shownKeys } from "./unit.ts";

/** A row as it was printed, and how much had happened by then. */
interface Printed {
  readonly row: PositionRow;
  /** Orders, fills and adjustments of the node. */
  readonly changes: number;
  /** Changes of the market prices that count for it. */
  readonly priceChanges: number;
}

/** One node of a position projection: what it holds, what its orders may add, what its trades cost. */
export class PositionNode {
  /** The values by projection key. */
  readonly attributes: Attributes;
  readonly path: string;
  readonly #identity: NodeIdentity;
  readonly #holding: Holding;
  #counted: Counted = { commission: ZERO, open: { Buy: ZERO, Sell: ZERO } };
  #changes = 0;
  #printed: Printed | undefined;

  /** `keys` are those of the projection, `path` is the node's path in it. */
  constructor(keys: readonly string[], path: string, attributes: Attributes, holding: Holding) {
    this.attributes = attributes;
    this.path = path;
    this.#identity = nodeIdentity(path, keys, attributes);
    this.#holding = holding;
  }

  /** How many instruments have to be valued for its row. */
  get instruments(): number {
    return this.#holding.instruments;
  }

  get size(): Decimal {
    return this.#holding.size;
  }

  openSize(side: Side): Decimal {
    return this.#counted.open[side];
  }

  /** Adds to the open size of a side; `sign` -1 takes away. */
  addOpen({ side, size }: Leg, sign: 1 | -1): void {
    const { open, commission } = this.#counted;
    this.#counted = { commission, open: { ...open, [side]: open[side].plus(size.times(sign)) } };
    this.#changes += 1;
  }

  book(fill: Fill): void {
    const { open, commission } = this.#counted;
    this.#holding.book(fill);
    this.#counted = { commission: commission.plus(fill.commission), open };
    this.#changes += 1;
  }

  adjust(adjustment: Adjustment): void {
    this.#holding.adjust(adjustment);
    this.#changes += 1;
  }

  /** The row as it is now: the one that was printed last, if it would be the same. */
  get row(): PositionRow {
    const changes = this.#changes;
    const { priceChanges } = this.#holding;
    const last = this.#printed?.changes === changes ? this.#printed : undefined;
    if (last?.priceChanges === priceChanges) return last.row;
    const valuation = this.#holding.value();
    const row = last ? reprintRow(last.row, valuation) : printRow(this.#identity, valuation, this.#counted);
    this.#printed = { row, changes, priceChanges };
    return row;
  }
}

/** A position as the API shows it. Readers share it, therefore it is frozen. */
export type PositionRow = z.output<ReturnType<typeof position>>;

/** The fields that name a node. */
type NodeIdentity = Pick<PositionRow, "projection">;

interface Counted {
  readonly commission: Decimal;
  /** Size of open orders. */
  readonly open: Readonly<Record<Side, Decimal>>;
}

/** The identity of the node at `path`; `keys` are those of its projection. */
function nodeIdentity(path: string, keys: readonly string[], attributes: Attributes): NodeIdentity {
  const fields = shownKeys(keys).map((key) => [positionField(key), attributes[key] ?? ""]);
  return { projection: path, ...Object.fromEntries(fields) };
}

function printRow(identity: NodeIdentity, valuation: Valuation, { commission, open }: Counted): PositionRow {
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
function reprintRow(row: PositionRow, valuation: Valuation): PositionRow {
  return Object.freeze(Object.assign({}, row, printPriced(valuation)));
}

function printPriced({ unrealizedPnL, marketValue }: Valuation): Pick<PositionRow, "unrealizedPnL" | "marketValue"> {
  return { unrealizedPnL: printValue(unrealizedPnL), marketValue: printValue(marketValue) };
}

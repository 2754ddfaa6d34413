import type { Decimal } from "decimal.js";
import type { Adjustment, Holding } from "./holding.ts";
import type { Attributes } from "./node.ts";
import { ZERO } from "./numbers.ts";
import type { Fill, Side } from "./order.ts";
import {
  type Counted,
  type NodeIdentity,
  nodeIdentity,
  type PositionRow,
  printRow,
  reprintRow,
} from "./position-row.ts";
import type { Leg } from "./unit.ts";

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

import type { Decimal } from "decimal.js";
import type { z } from "zod";
import { type position, positionField } from "../../core/operations/positions.ts";
import type { Adjustment, Holding } from "./holding.ts";
import type { Attributes } from "./node.ts";
import { tell, ZERO } from "./numbers.ts";
import type { Fill, Side } from "./order.ts";
import { type Leg, toldKeys } from "./unit.ts";

/** A position as the API tells it. */
export type Position = z.output<typeof position>;

/** One node of a position projection: what it holds, what its orders may add, what its trades cost. */
export class PositionNode {
  /** The values by projection key. */
  readonly attributes: Attributes;
  readonly path: string;
  readonly #identity: Pick<Position, "projection">;
  readonly #holding: Holding;
  #commission: Decimal = ZERO;
  #open: Readonly<Record<Side, Decimal>> = { Buy: ZERO, Sell: ZERO };

  /** `keys` are those of the projection, `path` is the node's path in it. */
  constructor(keys: readonly string[], path: string, attributes: Attributes, holding: Holding) {
    this.attributes = attributes;
    this.path = path;
    this.#identity = { projection: path, ...keyFields(keys, attributes) };
    this.#holding = holding;
  }

  get size(): Decimal {
    return this.#holding.size;
  }

  openSize(side: Side): Decimal {
    return this.#open[side];
  }

  /** Adds to the open size of a side; `sign` -1 takes away. */
  addOpen({ side, size }: Leg, sign: 1 | -1): void {
    this.#open = { ...this.#open, [side]: this.#open[side].plus(size.times(sign)) };
  }

  book(fill: Fill): void {
    this.#holding.book(fill);
    this.#commission = this.#commission.plus(fill.commission);
  }

  adjust(adjustment: Adjustment): void {
    this.#holding.adjust(adjustment);
  }

  tell(): Position {
    const { size, averageCost, realizedPnL, unrealizedPnL, marketValue } = this.#holding.value();
    return {
      ...this.#identity,
      size: tell(size),
      averageCost: tell(averageCost),
      realizedPnL: tell(realizedPnL),
      unrealizedPnL: tell(unrealizedPnL),
      marketValue: tell(marketValue),
      totalCommission: tell(this.#commission),
      openBuySize: tell(this.#open.Buy),
      openSellSize: tell(this.#open.Sell),
    };
  }
}

function keyFields(keys: readonly string[], attributes: Attributes): Record<string, string> {
  return Object.fromEntries(toldKeys(keys).map((key) => [positionField(key), attributes[key] ?? ""]));
}

import type { Decimal } from "decimal.js";
import { printDecimal } from "../../core/values/exact-decimal.ts";
import type { Instrument } from "./market.ts";
import type { Attributes } from "./node.ts";

export type Side = "Buy" | "Sell";

/** A new order as its sender writes it. */
export interface OrderRequest {
  readonly symbol: string;
  /** `Buy` or `Sell`. */
  readonly side: Side;
  /** Decimal string, greater than zero. */
  readonly size: string;
  /** Limit price; an order without one trades at the market price. */
  readonly price?: string;
  /**
   * Values by projection key: Source, Destination (the name of a service), Account, Trader, ... Symbol, RootSymbol,
   * Currency and Exchange follow from the instrument whatever is given here; TraderGroup follows from the trader
   * unless it is given.
   */
  readonly attributes: Attributes;
}

/** An order inside the engine. */
export interface Order {
  readonly id: string;
  readonly instrument: Instrument;
  readonly attributes: Attributes;
  readonly side: Side;
  readonly size: Decimal;
  readonly limitPrice: Decimal | undefined;
  /** Limit price, or the market price when the order came: what its open size is valued at. */
  readonly price: Decimal;
  /** Epoch milliseconds. */
  readonly timestamp: number;
}

/** An accepted order that is neither filled nor cancelled. */
export interface WorkingOrder extends OrderRequest {
  /** Id that the engine gave it. */
  readonly id: string;
  /** Size that is neither filled nor cancelled. */
  readonly openSize: string;
  /** Epoch milliseconds of acceptance. */
  readonly timestamp: number;
}

/** A fill of an order. */
export interface Trade {
  /** Counted from 1 in the order of the trades. */
  readonly id: string;
  readonly orderId: string;
  readonly symbol: string;
  readonly side: Side;
  /** Decimal string. */
  readonly size: string;
  /** Decimal string. */
  readonly price: string;
  /** Commission in the instrument's currency. */
  readonly commission: string;
  /** Those of the order. */
  readonly attributes: Attributes;
  /** Epoch milliseconds. */
  readonly timestamp: number;
}

/** A fill inside the engine. */
export interface Fill {
  readonly order: Order;
  readonly size: Decimal;
  readonly price: Decimal;
  readonly commission: Decimal;
}

/** Reply to a new order; the reason of a refusal begins with its code where there is one (`5001 MAX_ORDER_SIZE: ...`). */
export type Submission =
  | { readonly accepted: true; readonly order: WorkingOrder }
  | { readonly accepted: false; readonly reason: string };

/** Events of orders, in order. */
export type OrderEvent =
  | { readonly kind: "accepted"; readonly order: WorkingOrder }
  | { readonly kind: "refused"; readonly request: OrderRequest; readonly reason: string }
  | { readonly kind: "filled"; readonly trade: Trade }
  | { readonly kind: "cancelled"; readonly order: WorkingOrder }
  | { readonly kind: "replaced"; readonly order: WorkingOrder };

/** `size` with the sign of its side: bought is positive, sold is negative. */
export function signed(side: Side, size: Decimal): Decimal {
  return side === "Buy" ? size : size.negated();
}

/** Money that `size` of an instrument is worth at `price`; without sign. */
export function notional(instrument: Instrument, size: Decimal, price: Decimal): Decimal {
  return size.times(price).times(instrument.multiplier).abs();
}

/** An accepted order with what is left of it. */
export interface OpenOrder {
  readonly order: Order;
  readonly openSize: Decimal;
}

/** An open order as the outside sees it, decimals as text. */
export function printOrder({ order, openSize }: OpenOrder): WorkingOrder {
  return {
    id: order.id,
    symbol: order.instrument.symbol,
    side: order.side,
    size: printDecimal(order.size),
    ...(order.limitPrice && { price: printDecimal(order.limitPrice) }),
    attributes: order.attributes,
    openSize: printDecimal(openSize),
    timestamp: order.timestamp,
  };
}

/** A fill as the outside sees it. */
export function printTrade({ order, size, price, commission }: Fill, id: string, timestamp: number): Trade {
  return {
    id,
    orderId: order.id,
    symbol: order.instrument.symbol,
    side: order.side,
    size: printDecimal(size),
    price: printDecimal(price),
    commission: printDecimal(commission),
    attributes: order.attributes,
    timestamp,
  };
}

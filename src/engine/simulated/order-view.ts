import type { Decimal } from "decimal.js";
import { printDecimal } from "../../core/values/exact-decimal.ts";
import type { Fill, Order, Trade, WorkingOrder } from "./order.ts";

/** An accepted order with what is left of it. */
export interface OpenOrder {
  readonly order: Order;
  readonly openSize: Decimal;
}

/** An open order as the outside sees it, decimals as text. */
export function tellOrder({ order, openSize }: OpenOrder): WorkingOrder {
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
export function tellTrade({ order, size, price, commission }: Fill, id: string, timestamp: number): Trade {
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

import type { Decimal } from "decimal.js";
import { exact, printDecimal, ZERO } from "../../core/values/exact-decimal.ts";
import type { ClientSession } from "./client-session.ts";
import { type Field, TAG, utcTimestamp } from "./message.ts";

/** Orders of a session that have ended and are still known by their ClOrdID. */
const KEPT_ORDERS = 1_000;

/** Decimals of an average price. */
const PRICE_DECIMALS = 12;

/** OrdStatus (39). */
export type OrderStatus = "new" | "partly filled" | "filled" | "cancelled" | "rejected";

const ORD_STATUS: Readonly<Record<OrderStatus, string>> = {
  new: "0",
  "partly filled": "1",
  filled: "2",
  cancelled: "4",
  rejected: "8",
};

/** Terms of an order, as FIX writes them. */
export interface OrderTerms {
  readonly symbol: string;
  /** Side (54): 1 buys, 2 sells. */
  readonly side: string;
  /** OrdType (40): 1 market, 2 limit. */
  readonly type: string;
  readonly size: string;
  readonly price?: string | undefined;
  readonly account?: string | undefined;
}

/** An order of a FIX client, and the execution reports about it. */
export class ClientOrder {
  readonly session: ClientSession;
  /** Id in the engine; `NONE` for an order that it refused. */
  orderId = "NONE";
  terms: OrderTerms;
  #clOrdId: string;
  #origClOrdId: string | undefined;
  #filled: Decimal = ZERO;
  #paid: Decimal = ZERO;
  #status: OrderStatus = "new";

  constructor(session: ClientSession, clOrdId: string, terms: OrderTerms) {
    this.session = session;
    this.#clOrdId = clOrdId;
    this.terms = terms;
  }

  get isWorking(): boolean {
    return this.#status === "new" || this.#status === "partly filled";
  }

  /** OrdStatus (39). */
  get status(): string {
    return ORD_STATUS[this.#status];
  }

  /** The client asks for a change under another ClOrdID, of which reports are from now on; the returned function takes it back. */
  rename(clOrdId: string): () => void {
    const former = [this.#clOrdId, this.#origClOrdId] as const;
    this.#origClOrdId = this.#clOrdId;
    this.#clOrdId = clOrdId;
    return () => {
      [this.#clOrdId, this.#origClOrdId] = former;
    };
  }

  fill(size: string, price: string): void {
    this.#filled = this.#filled.plus(size);
    this.#paid = this.#paid.plus(exact(size).times(price));
    this.#status = this.#filled.gte(this.terms.size) ? "filled" : "partly filled";
  }

  end(status: "cancelled" | "rejected"): void {
    this.#status = status;
  }

  /** Fields of an execution report; `more` are those of its ExecType (150). */
  report(execId: string, execType: string, more: readonly Field[] = []): Field[] {
    const { symbol, side, type, size, price, account } = this.terms;
    const leaves = this.isWorking ? exact(size).minus(this.#filled) : ZERO;
    const optional: readonly (readonly [number, string | undefined])[] = [
      [TAG.OrigClOrdID, this.#origClOrdId],
      [TAG.Account, account],
      [TAG.Price, price],
    ];
    return [
      [TAG.OrderID, this.orderId],
      [TAG.ClOrdID, this.#clOrdId],
      [TAG.ExecID, execId],
      [TAG.ExecType, execType],
      [TAG.OrdStatus, this.status],
      [TAG.Symbol, symbol],
      [TAG.Side, side],
      [TAG.OrderQty, size],
      [TAG.OrdType, type],
      ...optional.filter((field): field is [number, string] => field[1] !== undefined),
      [TAG.LeavesQty, printDecimal(leaves)],
      [TAG.CumQty, printDecimal(this.#filled)],
      [TAG.AvgPx, this.#averagePrice],
      [TAG.TransactTime, utcTimestamp(Date.now())],
      ...more,
    ];
  }

  get #averagePrice(): string {
    if (this.#filled.isZero()) return "0";
    return printDecimal(this.#paid.div(this.#filled).toDecimalPlaces(PRICE_DECIMALS));
  }
}

/** The orders of one session by every ClOrdID they have had. */
export class SessionOrders {
  readonly #orders = new Map<string, ClientOrder>();

  find(clOrdId: string): ClientOrder | undefined {
    return this.#orders.get(clOrdId);
  }

  /** Keeps an order; of those that have ended, the oldest is forgotten for it. */
  add(clOrdId: string, order: ClientOrder): void {
    this.#orders.set(clOrdId, order);
    if (this.#orders.size <= KEPT_ORDERS) return;
    for (const [oldest, { isWorking }] of this.#orders) {
      if (isWorking) continue;
      this.#orders.delete(oldest);
      return;
    }
  }
}

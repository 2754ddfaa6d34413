import type { Attributes } from "../simulated/node.ts";
import type { OrderEvent, OrderRequest, Submission, WorkingOrder } from "../simulated/order.ts";
import { ClientOrder, type OrderTerms, SessionOrders } from "./client-orders.ts";
import type { ClientSession } from "./client-session.ts";
import { type FieldRule, fieldFault, type RejectCause } from "./faults.ts";
import { type Field, type FixMessage, TAG } from "./message.ts";

/** The part of an engine that order entry works on. */
export interface OrderEngine {
  submit(request: OrderRequest): Submission;
  replace(id: string, terms: Pick<OrderRequest, "size" | "price">): Submission;
  cancel(id: string): boolean;
}

/** OrdRejReason (103) and CxlRejReason (102). */
const REASON = {
  BrokerOption: 0,
  UnknownOrder: 1,
  UnknownSymbol: 1,
  ExceedsLimit: 3,
  DuplicateOrder: 6,
  Unsupported: 11,
  Other: 99,
  TooLateToCancel: 0,
} as const;

/** Enumerations of FIX 4.4, of which not all are supported, and numbers. */
const SIDE = { tag: TAG.Side, value: /^[1-9A-G]$/ };
const ORDER_TYPE = { tag: TAG.OrdType, value: /^[1-9A-Z]$/ };
const SIZE = { tag: TAG.OrderQty, format: /^\d{1,20}(?:\.\d{1,20})?$/ };
const PRICE = { tag: TAG.Price, isOptional: true, format: /^-?\d{1,20}(?:\.\d{1,20})?$/ };
const NEW_ORDER: readonly FieldRule[] = [
  { tag: TAG.ClOrdID },
  { tag: TAG.Symbol },
  SIDE,
  ORDER_TYPE,
  SIZE,
  PRICE,
  { tag: TAG.TimeInForce, isOptional: true, value: /^[0-7]$/ },
  { tag: TAG.Account, isOptional: true },
];
const CANCEL: readonly FieldRule[] = [{ tag: TAG.OrigClOrdID }, { tag: TAG.ClOrdID }];

/** Day orders and those that are good till cancelled: the engine's orders work until then. */
const WORKS_ON = new Set([undefined, "0", "1"]);

/** OrdType (40) of the orders that are supported; a limit order has a price. */
const MARKET = "1";
const LIMIT = "2";

/**
 * Orders of FIX clients: new (D), cancel (F) and replace (G) become orders of the engine; what happens to them becomes execution
 * reports (8), what is refused a report with the reason, or a cancel reject (9).
 */
export class OrderEntry {
  readonly #engine: OrderEngine;
  readonly #defaults: Attributes;
  readonly #orders = new WeakMap<ClientSession, SessionOrders>();
  readonly #working = new Map<string, ClientOrder>();
  #lastExecId = 0;

  /** `defaults` are attributes of orders that do not say them. */
  constructor(engine: OrderEngine, defaults: Attributes) {
    this.#engine = engine;
    this.#defaults = defaults;
  }

  owns(orderId: string): boolean {
    return this.#working.has(orderId);
  }

  /** Takes an application message; returns what is wrong with its fields. */
  receive(message: FixMessage, session: ClientSession): RejectCause | undefined {
    switch (message.type) {
      case "D":
        return fieldFault(message, NEW_ORDER) ?? this.#newOrder(message, session);
      case "F":
        return fieldFault(message, CANCEL) ?? this.#cancel(message, session);
      case "G":
        return fieldFault(message, [...CANCEL, ...NEW_ORDER]) ?? this.#replace(message, session);
      default:
        return rejectBusiness(message, session, 3, "Unsupported Message Type");
    }
  }

  onOrderEvent(event: OrderEvent): void {
    if (event.kind === "filled") this.#filled(event.trade);
    if (event.kind === "cancelled") this.#cancelled(event.order.id);
    if (event.kind === "replaced") this.#replaced(event.order);
  }

  #newOrder(message: FixMessage, session: ClientSession): undefined {
    const clOrdId = message.get(TAG.ClOrdID) ?? "";
    const isKnown = this.#ordersOf(session).find(clOrdId) !== undefined;
    if (isKnown && message.has(TAG.PossResend)) return;
    const terms = termsOf(message);
    if (terms.type === LIMIT && terms.price === undefined) return lacksPrice(message, session);
    const order = new ClientOrder(session, clOrdId, terms);
    if (isKnown) return this.#refuse(order, REASON.DuplicateOrder, `ClOrdID ${clOrdId} has been used`);
    this.#ordersOf(session).add(clOrdId, order);
    const unsupported = unsupportedTerms(message);
    if (unsupported !== undefined) return this.#refuse(order, REASON.Unsupported, unsupported);
    if (session.endingText !== undefined) return this.#refuse(order, REASON.Other, session.endingText);
    const submission = this.#engine.submit(this.#request(message, session, terms));
    if (!submission.accepted) return this.#refuse(order, reasonCode(submission.reason), submission.reason);
    order.orderId = submission.order.id;
    this.#working.set(order.orderId, order);
    this.#report(order, "0");
  }

  #request(message: FixMessage, session: ClientSession, { symbol, side, size, price }: OrderTerms): OrderRequest {
    const given = {
      Account: message.get(TAG.Account),
      Trader: message.get(TAG.SenderSubID),
      Destination: message.get(TAG.ExDestination),
    };
    const named = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return {
      symbol,
      side: side === "1" ? "Buy" : "Sell",
      size,
      ...(price !== undefined && { price }),
      attributes: { ...this.#defaults, ...Object.fromEntries(named), Source: session.record.id },
    };
  }

  #refuse(order: ClientOrder, reason: number, text: string): undefined {
    order.end("rejected");
    this.#report(order, "8", [
      [TAG.OrdRejReason, reason],
      [TAG.Text, text],
    ]);
  }

  #cancel(message: FixMessage, session: ClientSession): undefined {
    this.#change(message, session, ({ orderId }) => {
      this.#engine.cancel(orderId);
      return undefined;
    });
  }

  #replace(message: FixMessage, session: ClientSession): undefined {
    const terms = termsOf(message);
    if (terms.type === LIMIT && terms.price === undefined) return lacksPrice(message, session);
    const { size, price } = terms;
    this.#change(message, session, (order) => {
      const refusal = unsupportedTerms(message) ?? session.endingText ?? changeOfIdentity(order.terms, terms);
      if (refusal !== undefined) return refusal;
      const submission = this.#engine.replace(order.orderId, { size, ...(price !== undefined && { price }) });
      return submission.accepted ? undefined : submission.reason;
    });
  }

  /** Does something with the order that a message names; `change` returns why it is refused. Reports come from what then happens. */
  #change(message: FixMessage, session: ClientSession, change: (order: ClientOrder) => string | undefined): undefined {
    const orders = this.#ordersOf(session);
    const clOrdId = message.get(TAG.ClOrdID) ?? "";
    const order = orders.find(message.get(TAG.OrigClOrdID) ?? "");
    if (orders.find(clOrdId)) {
      if (message.has(TAG.PossResend)) return;
      return rejectCancel(message, session, order, REASON.DuplicateOrder, `ClOrdID ${clOrdId} has been used`);
    }
    if (!order) return rejectCancel(message, session, order, REASON.UnknownOrder, "Unknown order");
    if (!order.isWorking) return rejectCancel(message, session, order, REASON.TooLateToCancel, "The order has ended");
    const takeNameBack = order.rename(clOrdId);
    const refusal = change(order);
    if (refusal === undefined) orders.add(clOrdId, order);
    else {
      takeNameBack();
      rejectCancel(message, session, order, REASON.Other, refusal);
    }
  }

  #filled({ orderId, size, price }: Extract<OrderEvent, { kind: "filled" }>["trade"]): void {
    const order = this.#working.get(orderId);
    if (!order) return;
    order.fill(size, price);
    if (!order.isWorking) this.#working.delete(orderId);
    this.#report(order, "F", [
      [TAG.LastQty, size],
      [TAG.LastPx, price],
    ]);
  }

  #cancelled(orderId: string): void {
    const order = this.#working.get(orderId);
    if (!order) return;
    order.end("cancelled");
    this.#working.delete(orderId);
    this.#report(order, "4");
  }

  #replaced({ id, size, price }: WorkingOrder): void {
    const order = this.#working.get(id);
    if (!order) return;
    order.terms = { ...order.terms, size, price, type: price === undefined ? MARKET : LIMIT };
    this.#report(order, "5");
  }

  #report(order: ClientOrder, execType: string, more?: readonly Field[]): void {
    this.#lastExecId += 1;
    order.session.send("8", order.report(String(this.#lastExecId), execType, more));
  }

  #ordersOf(session: ClientSession): SessionOrders {
    const orders = this.#orders.get(session) ?? new SessionOrders();
    this.#orders.set(session, orders);
    return orders;
  }
}

function termsOf(message: FixMessage): OrderTerms {
  const type = message.get(TAG.OrdType) ?? "";
  return {
    symbol: message.get(TAG.Symbol) ?? "",
    side: message.get(TAG.Side) ?? "",
    type,
    size: message.get(TAG.OrderQty) ?? "",
    price: type === LIMIT ? message.get(TAG.Price) : undefined,
    account: message.get(TAG.Account),
  };
}

function unsupportedTerms(message: FixMessage): string | undefined {
  const [side, type, time] = [TAG.Side, TAG.OrdType, TAG.TimeInForce].map((tag) => message.get(tag));
  if (side !== "1" && side !== "2") return `Side ${side} is not supported: 1 buys, 2 sells`;
  if (type !== MARKET && type !== LIMIT) return `OrdType ${type} is not supported: 1 is market, 2 is limit`;
  return WORKS_ON.has(time) ? undefined : `TimeInForce ${time} is not supported: 0 is day, 1 is good till cancelled`;
}

function changeOfIdentity(known: OrderTerms, terms: OrderTerms): string | undefined {
  const isSame = known.symbol === terms.symbol && known.side === terms.side;
  return isSame ? undefined : "Symbol and Side of an order cannot be replaced";
}

/** OrdRejReason for the engine's reason, which begins with its code where it has one. */
function reasonCode(reason: string): number {
  if (/^50(?:00|13) /.test(reason)) return REASON.BrokerOption;
  if (/^(?:50\d\d|MAX_\w+):? /.test(reason)) return REASON.ExceedsLimit;
  return reason.startsWith("unknown symbol") ? REASON.UnknownSymbol : REASON.Other;
}

function rejectCancel(
  message: FixMessage,
  session: ClientSession,
  order: ClientOrder | undefined,
  reason: number,
  text: string,
): undefined {
  session.send("9", [
    [TAG.OrderID, order?.orderId ?? "NONE"],
    [TAG.ClOrdID, message.get(TAG.ClOrdID) ?? ""],
    [TAG.OrigClOrdID, message.get(TAG.OrigClOrdID) ?? ""],
    [TAG.OrdStatus, order?.status ?? "8"],
    [TAG.CxlRejResponseTo, message.type === "F" ? 1 : 2],
    [TAG.CxlRejReason, reason],
    [TAG.Text, text],
  ]);
}

function lacksPrice(message: FixMessage, session: ClientSession): undefined {
  return rejectBusiness(message, session, 5, "Conditionally Required Field Missing: Price (44) of a limit order");
}

function rejectBusiness(message: FixMessage, session: ClientSession, reason: number, text: string): undefined {
  session.send("j", [
    [TAG.RefSeqNum, message.number(TAG.MsgSeqNum) ?? 0],
    [TAG.RefMsgType, message.type],
    [TAG.BusinessRejectReason, reason],
    [TAG.Text, text],
  ]);
}

import type { Decimal } from "decimal.js";
import { printDecimal } from "../../core/values/exact-decimal.ts";
import type { FixDesk } from "./fix-gateway.ts";
import type { Installation } from "./installation-schema.ts";
import type { Market } from "./market.ts";
import type { Attributes } from "./node.ts";
import type { OpenOrder, OrderRequest } from "./order.ts";
import type { OrderDesk } from "./order-desk.ts";
import type { Chance } from "./random.ts";
import type { Services } from "./services.ts";

const MAX_ORDERS_PER_TICK = 3;
const MAX_LOTS = 10;
/** Once in this many orders a trader adds zeros by mistake, which is what size limits are for. */
const FAT_FINGER_ONE_IN = 40;
const FAT_FINGER_FACTOR = 1000;
const MARKET_ORDER_ONE_IN = 4;
const MAX_TICKS_FROM_MARKET = 5;
/** Chances of a working order within one tick. */
const FILL_ONE_IN = 3;
const PARTIAL_FILL_ONE_IN = 2;
const CANCEL_ONE_IN = 25;

interface OrderFlowParts {
  readonly installation: Installation;
  readonly market: Market;
  readonly orders: OrderDesk;
  readonly services: Services;
  readonly random: Chance;
  readonly clients: OrdersOfClients;
}

/** Sources and orders of FIX clients, which are not simulated. */
interface OrdersOfClients {
  isOfClient(source: string): boolean;
  owns(orderId: string): boolean;
}

/** Generated order flow: every tick some orders come, some are filled when the market allows it, some are cancelled. */
export class OrderFlow {
  readonly #parts: OrderFlowParts;

  constructor(parts: OrderFlowParts) {
    this.#parts = parts;
  }

  tick(): void {
    const { market, orders, random } = this.#parts;
    market.move(random);
    for (const { order } of orders.working) this.#work(order.id);
    for (let count = random.whole(0, MAX_ORDERS_PER_TICK); count > 0; count -= 1) {
      if (!orders.hasRoom) return;
      const request = this.#newOrder();
      if (request) orders.submit(request);
    }
  }

  #work(id: string): void {
    const { market, orders, random, clients } = this.#parts;
    const open = orders.find(id);
    // What happened to another order may have cancelled it.
    if (!open) return;
    const { order, openSize } = open;
    if (random.oneIn(CANCEL_ONE_IN) && !clients.owns(id)) {
      orders.cancel(order.id);
      return;
    }
    const mark = market.quote(order.instrument.symbol)?.mark;
    if (!mark || !isMarketable(order, mark) || !random.oneIn(FILL_ONE_IN)) return;
    const lot = order.instrument.lotSize;
    const partial = openSize.gt(lot) && random.oneIn(PARTIAL_FILL_ONE_IN);
    orders.fill(order.id, partial ? lot : openSize, mark);
  }

  #newOrder(): OrderRequest | undefined {
    const { market, random } = this.#parts;
    const attributes = this.#newAttributes();
    if (!attributes || market.quotes.length === 0) return undefined;
    const { instrument, mark } = random.pick(market.quotes);
    const { symbol, lotSize, tickSize } = instrument;
    const lots = random.whole(1, MAX_LOTS) * (random.oneIn(FAT_FINGER_ONE_IN) ? FAT_FINGER_FACTOR : 1);
    const size = printDecimal(lotSize.times(lots));
    const side = random.pick(["Buy", "Sell"] as const);
    const request = { symbol, side, size, attributes };
    if (random.oneIn(MARKET_ORDER_ONE_IN)) return request;
    const away = tickSize.times(random.whole(-MAX_TICKS_FROM_MARKET, MAX_TICKS_FROM_MARKET));
    return { ...request, price: printDecimal(mark.plus(away)) };
  }

  #newAttributes(): Attributes | undefined {
    const { installation, random, services, clients } = this.#parts;
    // Disabled services stay in: an operator should see that orders to them are refused.
    const destinations = services.list().filter(({ system, status }) => !system && status !== "Disconnected");
    const sources = installation.sources.filter((name) => !clients.isOfClient(name));
    const { accounts } = installation;
    const traders = Object.keys(installation.traders);
    if ([sources, accounts, destinations].some((names) => names.length === 0)) return undefined;
    return {
      Source: random.pick(sources),
      Account: random.pick(accounts),
      ...(traders.length > 0 && { Trader: random.pick(traders) }),
      Destination: random.pick(destinations).name,
    };
  }
}

function isMarketable({ side, limitPrice }: OpenOrder["order"], mark: Decimal): boolean {
  if (!limitPrice) return true;
  return side === "Buy" ? mark.lte(limitPrice) : mark.gte(limitPrice);
}

/** Messages that a gateway of each type sends to a session within one tick, at most. */
const MAX_SENT = { MarketData: 20, OrderEntry: 3, RFQ: 5, TradeConnector: 3 } as const;
const MAX_RECEIVED = 3;
const SMALLEST_MESSAGE = 80;
const LARGEST_MESSAGE = 400;
/** Chances of a session within one tick. */
const CONNECTION_LOSS_ONE_IN = 400;
const LOGON_ONE_IN = 4;

/** Simulates one tick of the peers of FIX sessions: messages, lost connections, new logons. */
export function sessionTraffic(fix: FixDesk, random: Chance): void {
  for (const gateway of fix.all) {
    for (const { sessionId, status } of gateway.sessions()) {
      if (gateway.isOfClient(sessionId)) continue;
      if (status === "Connected") converse(gateway, sessionId, random);
      else if (random.oneIn(LOGON_ONE_IN)) gateway.logon(sessionId);
    }
  }
}

function converse(gateway: FixDesk["all"][number], id: string, random: Chance): void {
  if (random.oneIn(CONNECTION_LOSS_ONE_IN)) {
    void gateway.disconnect(id);
    return;
  }
  const messagesSent = random.whole(0, MAX_SENT[gateway.type]);
  const messagesReceived = random.whole(0, MAX_RECEIVED);
  if (messagesSent + messagesReceived === 0) return;
  gateway.exchange(id, {
    messagesSent,
    messagesReceived,
    bytesSent: messagesSent * random.whole(SMALLEST_MESSAGE, LARGEST_MESSAGE),
    bytesReceived: messagesReceived * random.whole(SMALLEST_MESSAGE, LARGEST_MESSAGE),
  });
}

import type { Decimal } from "decimal.js";
import type { Clock } from "../../core/clock.ts";
import { exact, printDecimal } from "../../core/values/exact-decimal.ts";
import type { Installation } from "./installation-schema.ts";
import type { KillSwitch } from "./kill-switch.ts";
import {
  type Fill,
  notional,
  type OpenOrder,
  type Order,
  type OrderEvent,
  type OrderRequest,
  printOrder,
  printTrade,
  type Submission,
  type Trade,
} from "./order.ts";
import type { OrderIntake } from "./order-intake.ts";
import type { PositionDesk } from "./position-desk.ts";
import type { RiskDesk } from "./risk-desk.ts";
import type { Services } from "./services.ts";

interface OrderDeskParts {
  readonly installation: Installation;
  readonly clock: Clock;
  readonly intake: OrderIntake;
  readonly killSwitch: KillSwitch;
  readonly services: Services;
  readonly risk: RiskDesk;
  readonly positions: PositionDesk;
  readonly onEvent: (event: OrderEvent) => void;
}

/** Life of the orders: submitted, checked, worked, filled or cancelled. Cancels always pass. */
export class OrderDesk {
  readonly #parts: OrderDeskParts;
  /** Share of a trade's notional. */
  readonly #commissionRate: Decimal;
  readonly #trades: Trade[] = [];
  readonly #working = new Map<string, OpenOrder>();
  #lastOrderId = 0;
  #lastTradeId = 0;

  constructor(parts: OrderDeskParts) {
    this.#parts = parts;
    this.#commissionRate = exact(parts.installation["commission-rate"]);
  }

  /** The latest trades, oldest first; positions do not depend on how many are kept. */
  get trades(): readonly Trade[] {
    return this.#trades;
  }

  /** The working orders, oldest first. */
  get working(): readonly OpenOrder[] {
    return [...this.#working.values()];
  }

  find(id: string): OpenOrder | undefined {
    return this.#working.get(id);
  }

  get hasRoom(): boolean {
    return this.#working.size < this.#parts.installation["max-working-orders"];
  }

  submit(request: OrderRequest): Submission {
    const { clock, intake, onEvent } = this.#parts;
    this.#lastOrderId += 1;
    const order = intake.read(request, String(this.#lastOrderId), clock.now());
    const reason = typeof order === "string" ? order : (this.#refusal(order) ?? this.#lackOfRoom);
    if (typeof order === "string" || reason !== undefined) {
      onEvent({ kind: "refused", request, reason: reason ?? "" });
      return { accepted: false, reason: reason ?? "" };
    }
    const open: OpenOrder = { order, openSize: order.size };
    this.#working.set(order.id, open);
    this.#count(open, 1);
    onEvent({ kind: "accepted", order: printOrder(open) });
    return { accepted: true, order: printOrder(open) };
  }

  #refusal(order: Order): string | undefined {
    const { killSwitch, services, risk } = this.#parts;
    const { attributes } = order;
    return killSwitch.refusal(attributes) ?? services.refusal(attributes.Destination) ?? risk.refusal(order);
  }

  get #lackOfRoom(): string | undefined {
    if (this.hasRoom) return undefined;
    return `the engine holds ${this.#parts.installation["max-working-orders"]} working orders already`;
  }

  /** Cancels a working order; says whether there was one. */
  cancel(id: string): boolean {
    const open = this.#working.get(id);
    if (!open) return false;
    this.#reduce(open, open.openSize);
    this.#parts.onEvent({ kind: "cancelled", order: printOrder(open) });
    return true;
  }

  /** Gives a working order another size and limit price, if it would be accepted like that; otherwise it stays as it is. */
  replace(id: string, terms: Pick<OrderRequest, "size" | "price">): Submission {
    const { clock, intake } = this.#parts;
    const open = this.#working.get(id);
    if (!open) return { accepted: false, reason: `order ${JSON.stringify(id)} is not working` };
    const { price: _, ...former } = printOrder(open);
    const order = intake.read({ ...former, ...terms }, id, clock.now());
    if (typeof order === "string") return { accepted: false, reason: order };
    const openSize = order.size.minus(open.order.size.minus(open.openSize));
    if (!openSize.gt(0)) return { accepted: false, reason: `size ${terms.size} is not more than what has been filled` };
    // Limits count it once: without what it was.
    this.#count(open, -1);
    const reason = this.#refusal(order);
    const now: OpenOrder = reason === undefined ? { order, openSize } : open;
    this.#count(now, 1);
    if (reason !== undefined) return { accepted: false, reason };
    this.#working.set(id, now);
    this.#parts.onEvent({ kind: "replaced", order: printOrder(now) });
    return { accepted: true, order: printOrder(now) };
  }

  #count({ order, openSize }: OpenOrder, change: 1 | -1): void {
    this.#parts.positions.addOpen(order, openSize, change);
    this.#parts.risk.countOpen(order, change);
  }

  cancelAll(): void {
    for (const id of [...this.#working.keys()]) this.cancel(id);
  }

  /** Fills `size` of a working order at `price`. Throws {@link RangeError} for what cannot be filled. */
  fill(id: string, size: Decimal, price: Decimal): void {
    const open = this.#working.get(id);
    if (!open) throw new RangeError(`order ${JSON.stringify(id)} is not working`);
    if (!size.gt(0) || size.gt(open.openSize)) {
      throw new RangeError(`size ${printDecimal(size)} is not between zero and the open size of order ${id}`);
    }
    this.#reduce(open, size);
    this.#book({ order: open.order, size, price });
  }

  #book(filled: Omit<Fill, "commission">): void {
    const { order, size, price } = filled;
    const fill = { ...filled, commission: notional(order.instrument, size, price).times(this.#commissionRate) };
    this.#parts.positions.book(fill);
    this.#lastTradeId += 1;
    const trade = printTrade(fill, String(this.#lastTradeId), this.#parts.clock.now());
    this.#trades.push(trade);
    if (this.#trades.length > this.#parts.installation["kept-trades"]) this.#trades.shift();
    this.#parts.onEvent({ kind: "filled", trade });
  }

  #reduce(open: OpenOrder, size: Decimal): void {
    const { order } = open;
    const openSize = open.openSize.minus(size);
    this.#parts.positions.addOpen(order, size, -1);
    if (openSize.isZero()) {
      this.#working.delete(order.id);
      this.#parts.risk.countOpen(order, -1);
    } else this.#working.set(order.id, { order, openSize });
  }
}

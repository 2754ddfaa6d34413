import type { OrderRequest, Submission } from "../../../src/engine/simulated/order.ts";
import type { World } from "../../support/world.ts";

type Changes = Partial<Omit<OrderRequest, "attributes">> & { readonly attributes?: Readonly<Record<string, string>> };

/** An order that the sample installation accepts: 100 AAPL from FIXCLIENT1 for GOLD, unless changed. */
export function submit(world: World, { attributes, ...changes }: Changes = {}): Submission {
  return world.engine.submitOrder({
    symbol: "AAPL",
    side: "Buy",
    size: "100",
    ...changes,
    attributes: { Source: "FIXCLIENT1", Account: "GOLD", Trader: "asmith", Destination: "SIM", ...attributes },
  });
}

/** Why the engine refuses such an order, `accepted` when it does not; an accepted order is cancelled again. */
export function verdict(world: World, changes: Changes = {}): string {
  const submission = submit(world, changes);
  if (!submission.accepted) return submission.reason;
  world.engine.cancelOrder(submission.order.id);
  return "accepted";
}

/** Submits such an order and fills it whole. */
export function trade(world: World, price: string, changes: Changes = {}): void {
  const submission = submit(world, { price, ...changes });
  if (!submission.accepted) throw new Error(submission.reason);
  world.engine.fillOrder(submission.order.id, submission.order.size, price);
}

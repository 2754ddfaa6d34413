import type { EngineInput, Output } from "../../src/core/operations/table.ts";
import { type Installation, parseInstallation } from "../../src/engine/simulated/installation.ts";
import type { OrderEvent, OrderRequest } from "../../src/engine/simulated/order.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

/** A small installation without activity and without limits. */
export const PLAIN = `
activity: off
instruments:
  AAPL: { exchange: NASDAQ, currency: USD, price: 100, lot-size: 10 }
  MSFT: { exchange: NASDAQ, currency: USD, price: 400 }
  EUR/USD: { exchange: EBS, currency: USD, price: 1.1, tick-size: 0.0001 }
  ESZ26: { exchange: CME, currency: USD, root-symbol: ES, price: 5000, multiplier: 50 }
  ESH27: { exchange: CME, currency: USD, root-symbol: ES, price: 5100, multiplier: 50 }
sources: [SRC1, SRC2]
accounts: [GOLD, SILVER]
traders:
  asmith: { group: Equities }
  bjones: {}
connectors:
  SIM: {}
  OFFLINE: { status: Disconnected }
algorithms:
  TWAP: {}
  TRACK: { system: true }
`;

export const POSITIONS = `
positions:
  projections: [Account/Symbol, Exchange/Symbol, Trader/Symbol, Account/RootSymbol, Account/Currency]
`;

/** The small installation and further top-level parts of the document. */
export function installation(...parts: string[]): Installation {
  return parseInstallation([PLAIN, ...parts].join("\n"), "test.yaml");
}

export interface Bench {
  readonly engine: SimulatedEngine;
  readonly clock: ManualClock;
  /** Everything that happened to orders. */
  readonly events: OrderEvent[];
}

/** An engine over the small installation, with a frozen clock. */
export function bench(...parts: string[]): Bench {
  const clock = new ManualClock();
  const events: OrderEvent[] = [];
  const engine = new SimulatedEngine(installation(...parts), { clock, onOrderEvent: (event) => events.push(event) });
  return { engine, clock, events };
}

/** An order to SIM for account GOLD. */
export function order(changes: Partial<OrderRequest> = {}, attributes: Record<string, string> = {}): OrderRequest {
  return {
    symbol: "AAPL",
    side: "Buy",
    size: "10",
    ...changes,
    attributes: { Source: "SRC1", Account: "GOLD", Destination: "SIM", ...attributes },
  };
}

/** Submits an order that has to be accepted; answers its id. */
export function accepted(engine: SimulatedEngine, request: OrderRequest): string {
  const submission = engine.submitOrder(request);
  if (!submission.accepted) throw new Error(`refused: ${submission.reason}`);
  return submission.order.id;
}

/** Reason why an order is refused; `undefined` when it is accepted. */
export function refusal(engine: SimulatedEngine, request: OrderRequest): string | undefined {
  const submission = engine.submitOrder(request);
  return submission.accepted ? undefined : submission.reason;
}

/** Submits an order and fills it immediately. */
export function trade(
  engine: SimulatedEngine,
  side: "Buy" | "Sell",
  size: string,
  price: string,
  symbol = "AAPL",
): void {
  engine.fillOrder(accepted(engine, order({ side, size, price, symbol })), size, price);
}

/** The positions of a list that is short enough to be there immediately. */
export function positionsOf(engine: SimulatedEngine, input: EngineInput<"listPositions">): Output<"listPositions"> {
  const rows = engine.listPositions(input);
  if (rows instanceof Promise) throw new Error("a short list is not there immediately");
  return rows;
}

/** What `act` throws, without its stack, so that it can be compared. */
export function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

import { type Clock, systemClock } from "../../core/clock.ts";
import { harmless } from "../../core/host-calls.ts";
import { Gate } from "../../core/load/gate.ts";
import { type BusOutput, busMethods, type EngineInput, type Output } from "../../core/operations/table.ts";
import {
  CLOCK,
  functionLike,
  GATE,
  ifGiven,
  numberLike,
  objectWith,
  optionsOf,
  requireArgument,
} from "../../core/options.ts";
import { exact } from "../../core/values/exact-decimal.ts";
import { projectionKeys } from "../../core/values/projection.ts";
import { packageVersion } from "../../files/package-files.ts";
import type { Engine } from "../engine.ts";
import type { FixPortOptions } from "../fix/open-ports.ts";
import type { FixPort } from "../fix/port.ts";
import { assembleParts, type EngineParts } from "./engine-parts.ts";
import type { Installation } from "./installation-schema.ts";
import {
  type OrderEvent,
  type OrderRequest,
  printOrder,
  type Submission,
  type Trade,
  type WorkingOrder,
} from "./order.ts";

export interface SimulatedEngineOptions {
  /** Source of all time; the machine's clock when it is not given. */
  readonly clock?: Clock;
  /** Decides when long lists are made: the gate of an API in the same process, otherwise another. */
  readonly gate?: Gate;
  /** Seed of all chance, in place of the installation's. */
  readonly seed?: number;
  /** Called with what happens to orders, as it happens; must not act on the engine itself. */
  readonly onOrderEvent?: (event: OrderEvent) => void;
}

const checked = optionsOf<SimulatedEngineOptions>("SimulatedEngine", {
  clock: ifGiven(CLOCK),
  gate: ifGiven(GATE),
  seed: ifGiven(numberLike("1")),
  onOrderEvent: ifGiven(functionLike("(event) => console.log(event)")),
});

type SessionName = EngineInput<"getFixSession">;
type SessionDetail = Output<"getFixSession">;

/**
 * A trading engine without a market: the complete state of the specification, in memory. Orders come from `submitOrder`
 * and, between `start` and `stop`, from a generator. Engines with equal installations, seeds and clocks behave alike.
 * The operations throw {@link EngineRejection} as the `Engine` interface says.
 *
 * @example
 * const engine = new SimulatedEngine(await loadInstallation("installation.yaml"));
 * await serveEngine(engine, bus);
 * engine.start();
 */
export class SimulatedEngine implements Engine {
  readonly #installation: Installation;
  readonly #parts: EngineParts;

  /** Builds the state and nothing else: neither timers nor input or output. */
  constructor(installation: Installation, options: SimulatedEngineOptions = {}) {
    requireArgument(
      "SimulatedEngine",
      "installation",
      installation,
      objectWith("seed", 'await loadInstallation("installation.yaml")'),
    );
    const { clock = systemClock, gate = new Gate(clock) } = checked(options);
    const { seed = installation.seed, onOrderEvent = () => {} } = options;
    this.#installation = installation;
    this.#parts = assembleParts(installation, {
      clock,
      gate,
      seed,
      onOrderEvent: harmless("`onOrderEvent`", onOrderEvent),
    });
  }

  /** Starts the generated activity; does nothing when the installation says `activity: off`. */
  start(): void {
    this.#parts.activity?.start();
  }

  /** Stops the generated activity; halts and resumes in progress are still applied. */
  stop(): void {
    this.#parts.activity?.stop();
  }

  /** Sends a new order to the engine, as a trading client would. */
  submitOrder(request: OrderRequest): Submission {
    return this.#parts.orders.submit(request);
  }

  /** Cancels a working order, halted or not; says whether there was one with this id. */
  cancelOrder(id: string): boolean {
    return this.#parts.orders.cancel(id);
  }

  /**
   * Gives a working order another size and limit price, decimal strings both, checked as a new order is. Where that is refused, the
   * order stays as it is. The size counts what has been filled.
   */
  replaceOrder(id: string, terms: Pick<OrderRequest, "size" | "price">): Submission {
    return this.#parts.orders.replace(id, terms);
  }

  /**
   * Fills `size` of a working order at `price`, decimal strings both, whatever the market price is.
   * Throws `RangeError` when the order is not working or has less open size.
   */
  fillOrder(id: string, size: string, price: string): void {
    this.#parts.orders.fill(id, exact(size), exact(price));
  }

  /** Orders that are neither filled nor cancelled, oldest first. */
  workingOrders(): WorkingOrder[] {
    return this.#parts.orders.working.map(printOrder);
  }

  /** The latest trades, oldest first; the installation's `kept-trades` says how many. */
  trades(): Trade[] {
    return [...this.#parts.orders.trades];
  }

  /** Sets the market price of an instrument, a decimal string. Throws `RangeError` for an unknown symbol. */
  setMarketPrice(symbol: string, price: string): void {
    this.#parts.market.setMark(symbol, exact(price));
  }

  /**
   * Opens a FIX 4.4 port for each order-entry gateway, in the order of the installation. A session of theirs is simulated until a
   * client logs on to it; from then on it is the client's. Rejects with the error of `node:net` when one cannot be opened.
   */
  openFixPorts(options: FixPortOptions = {}): Promise<readonly FixPort[]> {
    return this.#parts.fixPorts.open(options);
  }

  /** Logs the FIX clients out, and closes the ports. */
  closeFixPorts(): Promise<void> {
    return this.#parts.fixPorts.close();
  }

  /** The simulated peer of a FIX session asks for a connection; says whether it was accepted. */
  logonFixSession({ gateway, session }: SessionName): boolean {
    return this.#parts.fix.gateway(gateway).logon(session);
  }

  /** State of the node that the path names; a path without events has `halted: false` and no reason. */
  getTradingStatus({ projectionPath }: EngineInput<"getTradingStatus">): Output<"getTradingStatus"> {
    return this.#parts.killSwitch.status(projectionPath);
  }

  /** Every active halt, in the order of their first events. */
  listHalts(): BusOutput<"listHalts"> {
    return this.#parts.killSwitch.list();
  }

  describeEngine(): BusOutput<"describeEngine"> {
    return describeInstallation(this.#installation);
  }

  /** Acknowledged immediately, applied after the installation's `control-delay`, in order with resumes. */
  haltTrading({ projectionPath, reason, cancelOrders }: EngineInput<"haltTrading">): null {
    const { control, killSwitch, orders } = this.#parts;
    killSwitch.check(projectionPath);
    control.push(() => {
      killSwitch.halt(projectionPath, reason);
      if (cancelOrders && projectionPath === "") orders.cancelAll();
    });
    return null;
  }

  /** Acknowledged immediately, applied after the installation's `control-delay`, in order with halts. */
  resumeTrading({ projectionPath, reason }: EngineInput<"resumeTrading">): null {
    const { control, killSwitch } = this.#parts;
    killSwitch.check(projectionPath);
    control.push(() => killSwitch.resume(projectionPath, reason));
    return null;
  }

  getRiskTable({ projection }: EngineInput<"getRiskTable">): Output<"getRiskTable"> {
    return this.#parts.risk.read(projection);
  }

  updateRiskTable(input: EngineInput<"updateRiskTable">): Output<"updateRiskTable"> {
    return this.#parts.risk.update(input);
  }

  /** The positions that all filters match; a promise when there are many, since a long list is made at turns. */
  listPositions(input: EngineInput<"listPositions">): Output<"listPositions"> | Promise<Output<"listPositions">> {
    return this.#parts.positions.list(input);
  }

  adjustPosition(input: EngineInput<"adjustPosition">): null {
    return this.#parts.positions.adjust(input);
  }

  listServices(): Output<"listServices"> {
    return this.#parts.services.list();
  }

  getService({ name }: EngineInput<"getService">): Output<"getService"> {
    return this.#parts.services.get(name);
  }

  disableService({ name }: EngineInput<"disableService">): null {
    return this.#parts.services.setEnabled(name, false);
  }

  enableService({ name }: EngineInput<"enableService">): null {
    return this.#parts.services.setEnabled(name, true);
  }

  listFixGateways(): Output<"listFixGateways"> {
    return this.#parts.fix.all.map((gateway) => gateway.summary());
  }

  getFixGateway({ gateway }: EngineInput<"getFixGateway">): Output<"getFixGateway"> {
    return this.#parts.fix.gateway(gateway).detail();
  }

  listFixSessions({ gateway }: EngineInput<"listFixSessions">): Output<"listFixSessions"> {
    return this.#parts.fix.gateway(gateway).sessions();
  }

  getFixSession({ gateway, session }: SessionName): SessionDetail {
    return this.#parts.fix.gateway(gateway).session(session);
  }

  /** A promise while a FIX client is being logged out. */
  disableFixSession({ gateway, session }: SessionName): SessionDetail | Promise<SessionDetail> {
    return this.#parts.fix.gateway(gateway).disable(session);
  }

  enableFixSession({ gateway, session }: SessionName): SessionDetail {
    return this.#parts.fix.gateway(gateway).enable(session);
  }

  /** A promise while a FIX client is being logged out. */
  disconnectFixSession({ gateway, session }: SessionName): SessionDetail | Promise<SessionDetail> {
    return this.#parts.fix.gateway(gateway).disconnect(session);
  }
}

function describeInstallation(installation: Installation): BusOutput<"describeEngine"> {
  const keys = [...projectionKeys(installation["projection-keys"])];
  const { risk, positions, gateways } = installation;
  return {
    name: "Simulated engine",
    version: packageVersion(),
    operations: [...busMethods],
    haltKeys: keys,
    projectionKeys: keys,
    positionProjections: [...positions.projections],
    riskTables: Object.entries(risk.tables).map(([projection, { limits }]) => ({ projection, limits: [...limits] })),
    gatewayTypes: [...new Set(Object.values(gateways).map(({ type }) => type))],
    counts: { connections: true, messages: true, bytes: true },
  };
}

import type { Clock } from "../../core/clock.ts";
import type { Gate } from "../../core/load/gate.ts";
import { projectionKeys } from "../../core/values/projection.ts";
import { FixPorts } from "../fix/open-ports.ts";
import { OrderEntry } from "../fix/order-entry.ts";
import { FixDesk } from "./fix-gateway.ts";
import type { Installation } from "./installation-schema.ts";
import { KillSwitch } from "./kill-switch.ts";
import { Market } from "./market.ts";
import type { Attributes } from "./node.ts";
import type { OrderEvent } from "./order.ts";
import { OrderDesk } from "./order-desk.ts";
import { OrderFlow, sessionTraffic } from "./order-flow.ts";
import { OrderIntake } from "./order-intake.ts";
import { PositionDesk } from "./position-desk.ts";
import { Chance } from "./random.ts";
import { RiskDesk } from "./risk-desk.ts";
import { Services } from "./services.ts";

/** Commands that are acknowledged immediately and applied a little later, in the order in which they came. */
export class ControlQueue {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #waiting: (() => void)[] = [];
  #settle = (): void => {};
  #settled: Promise<void> | undefined;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Applies `command` after the delay. */
  push(command: () => void): void {
    this.#waiting.push(command);
    this.#settled ??= new Promise((resolve) => {
      this.#settle = resolve;
    });
    // Whichever timer fires first takes the oldest command: timers that fire out of order cannot swap two commands.
    this.#clock.schedule(this.#delayMs, () => this.#applyNext());
  }

  /** Resolves when all commands that were pushed before have been applied; undefined when they have. */
  get settled(): Promise<void> | undefined {
    return this.#settled;
  }

  #applyNext(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) return;
    this.#settled = undefined;
    this.#settle();
  }
}

interface Resources {
  readonly clock: Clock;
  readonly gate: Gate;
  readonly seed: number;
  readonly onOrderEvent: (event: OrderEvent) => void;
}

export type EngineParts = ReturnType<typeof assembleParts>;

export function assembleParts(installation: Installation, { clock, gate, seed, onOrderEvent }: Resources) {
  const random = new Chance(seed);
  const known = projectionKeys(installation["projection-keys"]);
  const market = new Market(installation.instruments);
  const positions = new PositionDesk(installation.positions.projections, known, market, gate);
  const desks = {
    killSwitch: new KillSwitch(known, clock),
    market,
    positions,
    risk: new RiskDesk(installation.risk, known, positions),
    services: new Services(installation),
    fix: new FixDesk(installation.gateways, clock, random),
  };
  const intake = new OrderIntake(known, market, installation.traders);
  const onEvent = (event: OrderEvent): void => {
    orderEntry.onOrderEvent(event);
    onOrderEvent(event);
  };
  const orders = new OrderDesk({ ...desks, installation, clock, intake, onEvent });
  const orderEntry = new OrderEntry(orders, defaultAttributes(installation));
  const control = new ControlQueue(clock, installation["control-delay"]);
  const fixPorts = new FixPorts(desks.fix.orderEntry, {
    clock,
    gate,
    application: (message, session) => orderEntry.receive(message, session),
    // An order that arrives after a halt was accepted must not be accepted before the halt is applied.
    settled: () => control.settled,
  });
  const clients = {
    isOfClient: (source: string): boolean => desks.fix.isOfClient(source),
    owns: (orderId: string): boolean => orderEntry.owns(orderId),
  };
  const flow = new OrderFlow({ installation, market, orders, services: desks.services, random, clients });
  const activity = new Heartbeat(clock, installation["tick-interval"], () => {
    flow.tick();
    sessionTraffic(desks.fix, random);
  });
  return {
    ...desks,
    control,
    orders,
    fixPorts,
    // Nothing is generated with `activity: off`.
    activity: installation.activity === "on" ? activity : undefined,
  };
}

/** Default attributes of orders of FIX clients: the first account, trader and connector of the installation. */
function defaultAttributes({ accounts, traders, connectors }: Installation): Attributes {
  const [Account] = accounts;
  const [Trader] = Object.keys(traders);
  const [Destination] = Object.keys(connectors);
  return { ...(Account && { Account }), ...(Trader && { Trader }), ...(Destination && { Destination }) };
}

/** Repeats a task from `start` until `stop`, with a pause of the clock in between. */
class Heartbeat {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #beat: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, pauseMs: number, beat: () => void) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#beat = beat;
  }

  /** Begins to repeat; does nothing while it repeats already. */
  start(): void {
    if (!this.#cancel) this.#pause();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #pause(): void {
    this.#cancel = this.#clock.schedule(this.#pauseMs, () => {
      this.#beat();
      if (this.#cancel) this.#pause();
    });
  }
}

import type { Clock } from "../../core/clock.ts";
import { projectionKeys } from "../../core/values/projection.ts";
import { FixDesk } from "./fix-gateway.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Installation } from "./installation-schema.ts";
import { KillSwitch } from "./kill-switch.ts";
import { Market } from "./market.ts";
import { exact } from "./numbers.ts";
import type { OrderEvent } from "./order.ts";
import { OrderDesk } from "./order-desk.ts";
import { OrderFlow } from "./order-flow.ts";
import { OrderIntake } from "./order-intake.ts";
import { PositionDesk } from "./position-desk.ts";
import { seededRandom } from "./random.ts";
import { RiskDesk } from "./risk-desk.ts";
import { Services } from "./services.ts";
import { SessionTraffic } from "./session-traffic.ts";

/** Commands that are acknowledged at once and applied a little later, in the order in which they came. */
export class ControlQueue {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Applies `command` after the delay. */
  push(command: () => void): void {
    this.#waiting.push(command);
    // Whichever timer fires first takes the oldest command: timers that fire out of order cannot swap two commands.
    this.#clock.schedule(this.#delayMs, () => this.#waiting.shift()?.());
  }
}

/** What an engine is given besides its installation. */
interface Resources {
  readonly clock: Clock;
  readonly seed: number;
  readonly onOrderEvent: (event: OrderEvent) => void;
}

/** The parts of a simulated engine, each with a state of its own. */
export interface EngineParts {
  readonly killSwitch: KillSwitch;
  readonly control: ControlQueue;
  readonly market: Market;
  readonly positions: PositionDesk;
  readonly risk: RiskDesk;
  readonly services: Services;
  readonly fix: FixDesk;
  readonly orders: OrderDesk;
  /** Absent when the installation says `activity: off`. */
  readonly activity: Heartbeat | undefined;
}

/** Builds and connects the parts of an engine. */
export function assembleParts(installation: Installation, resources: Resources): EngineParts {
  const { clock } = resources;
  const random = seededRandom(resources.seed);
  const known = projectionKeys(installation["projection-keys"]);
  const market = new Market(installation.instruments);
  const positions = new PositionDesk(installation.positions.projections, known, market);
  const desks = {
    killSwitch: new KillSwitch(known),
    market,
    positions,
    risk: new RiskDesk(installation.risk, known, positions),
    services: new Services(installation),
    fix: new FixDesk(installation.gateways, clock, random),
  };
  const intake = new OrderIntake(known, market, installation.traders);
  const orders = orderDesk(installation, resources, intake, desks);
  const flow = new OrderFlow({ installation, market, orders, services: desks.services, random });
  const traffic = new SessionTraffic(desks.fix, random);
  const activity = new Heartbeat(clock, installation["tick-interval"], function* () {
    yield* flow.tick();
    yield* traffic.tick();
  });
  return {
    ...desks,
    control: new ControlQueue(clock, installation["control-delay"]),
    orders,
    activity: installation.activity === "on" ? activity : undefined,
  };
}

function orderDesk(
  installation: Installation,
  { clock, onOrderEvent }: Resources,
  intake: OrderIntake,
  { killSwitch, services, risk, positions }: Pick<EngineParts, "killSwitch" | "services" | "risk" | "positions">,
): OrderDesk {
  return new OrderDesk({
    clock,
    intake,
    checks: [
      ({ attributes }) => killSwitch.refusal(attributes),
      ({ attributes }) => services.refusal(attributes.Destination),
      (order) => risk.refusal(order),
    ],
    positions,
    risk,
    maxWorkingOrders: installation["max-working-orders"],
    keptTrades: installation["kept-trades"],
    commissionRate: exact(installation["commission-rate"]),
    onEvent: onOrderEvent,
  });
}

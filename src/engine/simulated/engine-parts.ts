import type { Clock } from "../../core/clock.ts";
import type { Gate } from "../../core/load/gate.ts";
import { projectionKeys } from "../../core/values/projection.ts";
import { FixDesk } from "./fix-gateway.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Installation } from "./installation-schema.ts";
import { KillSwitch } from "./kill-switch.ts";
import { Market } from "./market.ts";
import type { OrderEvent } from "./order.ts";
import { OrderDesk } from "./order-desk.ts";
import { OrderFlow } from "./order-flow.ts";
import { OrderIntake } from "./order-intake.ts";
import { PositionDesk } from "./position-desk.ts";
import { seededRandom } from "./random.ts";
import { RiskDesk } from "./risk-desk.ts";
import { Services } from "./services.ts";
import { sessionTraffic } from "./session-traffic.ts";

/** Commands that are acknowledged immediately and applied a little later, in the order in which they came. */
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
  readonly gate: Gate;
  readonly seed: number;
  readonly onOrderEvent: (event: OrderEvent) => void;
}

/** The parts of a simulated engine, each with a state of its own. */
export type EngineParts = ReturnType<typeof assembleParts>;

/** Builds and connects the parts of an engine. */
export function assembleParts(installation: Installation, { clock, gate, seed, onOrderEvent }: Resources) {
  const random = seededRandom(seed);
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
  const orders = new OrderDesk({ ...desks, installation, clock, intake, onEvent: onOrderEvent });
  const flow = new OrderFlow({ installation, market, orders, services: desks.services, random });
  const activity = new Heartbeat(clock, installation["tick-interval"], function* () {
    yield* flow.tick();
    yield* sessionTraffic(desks.fix, random);
  });
  return {
    ...desks,
    control: new ControlQueue(clock, installation["control-delay"]),
    orders,
    // Nothing is generated with `activity: off`.
    activity: installation.activity === "on" ? activity : undefined,
  };
}

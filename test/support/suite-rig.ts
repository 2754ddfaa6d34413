import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { assembleRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";
import { InProcessBus } from "../../transports/in-process.ts";
import { CountedTransport } from "./counted-transport.ts";
import { until } from "./until.ts";
import { openWire, type Wire, type WireName } from "./wires.ts";

/** The transport that the suites run over: `ENGINE_TRANSPORT` in the environment. */
export const SUITE_TRANSPORT = suiteTransport();

/** The engine's end of the suites' transport. */
interface SuiteBus extends EngineBus {
  /** Takes the engine away. */
  detach(): void;
}

/** A {@link TestRig} over the suites' transport. */
export interface SuiteRig extends Omit<TestRig, "bus"> {
  readonly bus: SuiteBus;
  /** Settles when an engine that came or went is known at the gateway's end. */
  linkSettled(): Promise<void>;
  /** Settles when every request has its response, late ones included. */
  allAnswered(): Promise<void>;
}

/** Starts a rig over the suites' transport. */
export async function startSuiteRig({
  bus: limits,
  clock = new ManualClock(),
  ...options
}: TestRigOptions): Promise<SuiteRig> {
  if (SUITE_TRANSPORT === "in-process") {
    const bus = new InProcessBus({ ...limits, clock });
    const transport = new CountedTransport(bus);
    const rig = await assembleRig(options, { transport, bus, clock });
    return { ...rig, bus, linkSettled: async () => {}, allAnswered: () => transport.allAnswered() };
  }
  const wire = await openWire(SUITE_TRANSPORT, limits ?? {});
  const bus = new WireBus(wire);
  const transport = new CountedTransport(wire.transport);
  const rig = await assembleRig(options, { transport, bus, clock });
  await until(() => wire.transport.state === "up", "the link is up");
  const close = async (): Promise<void> => {
    await rig.close();
    await bus.close();
  };
  return { ...rig, bus, linkSettled: () => bus.settled(), allAnswered: () => transport.allAnswered(), close };
}

function suiteTransport(): "in-process" | WireName {
  const name = process.env.ENGINE_TRANSPORT ?? "in-process";
  if (name === "in-process" || name === "websocket" || name === "nats") return name;
  throw new Error(`ENGINE_TRANSPORT must be in-process, websocket or nats, is ${name}`);
}

/** An engine that comes and goes on a wire, one after the other. */
class WireBus implements SuiteBus {
  readonly #wire: Wire;
  #changes: Promise<void> = Promise.resolve();
  #wasAway = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  listen(handler: EngineHandler): Promise<void> {
    this.#changes = this.#changes.then(async () => {
      await this.#wire.attach(handler);
      if (this.#wasAway) await until(() => this.#wire.transport.state === "up", "the link is up");
    });
    return this.#changes;
  }

  detach(): void {
    this.#wasAway = true;
    this.#changes = this.#changes.then(() => this.#wire.detach());
  }

  settled(): Promise<void> {
    return this.#changes;
  }

  async close(): Promise<void> {
    await this.#changes;
    await this.#wire.close();
  }
}

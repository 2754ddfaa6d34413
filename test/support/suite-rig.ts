import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { assembleRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";
import { InProcessBus } from "../../transports/in-process.ts";
import { PROBER } from "../../transports/nats/engine-presence.ts";
import { CountedTransport } from "./counted-transport.ts";
import { until } from "./until.ts";
import { openWire, type Wire, type WireName } from "./wires.ts";

/** A transport that the suites run over. */
export type SuiteTransport = "in-process" | WireName;

/** The engine's end of the suites' transport. */
interface SuiteBus extends EngineBus {
  /** Takes the engine away. */
  detach(): void;
}

/** A {@link TestRig} over one of the suites' transports. */
export interface SuiteRig extends Omit<TestRig, "bus"> {
  readonly transport: SuiteTransport;
  readonly bus: SuiteBus;
  /** Settles when an engine that came or went is known at the gateway's end. */
  linkSettled(): Promise<void>;
  /** Settles when every request has its response, late ones included. */
  allAnswered(): Promise<void>;
}

/** Starts a rig over a transport. */
export async function startSuiteRig(
  transport: SuiteTransport,
  { bus: limits, clock = new ManualClock(), ...options }: TestRigOptions,
): Promise<SuiteRig> {
  if (transport === "in-process") {
    const bus = new InProcessBus({ ...limits, clock });
    const counted = new CountedTransport(bus);
    const rig = await assembleRig(options, { transport: counted, bus, clock });
    return { ...rig, transport, bus, linkSettled: async () => {}, allAnswered: () => counted.allAnswered() };
  }
  const wire = await openWire(transport, limits ?? {}, clock);
  const bus = new WireBus(wire);
  const counted = new CountedTransport(wire.transport);
  const rig = await assembleRig(options, { transport: counted, bus, clock });
  await until(() => wire.transport.state === "up", "the link is up");
  const close = async (): Promise<void> => {
    await rig.close();
    await bus.close();
  };
  return { ...rig, transport, bus, linkSettled: () => bus.settled(), allAnswered: () => counted.allAnswered(), close };
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
      // Whether an engine listens is asked between the requests of a suite, which counts those of callers.
      await this.#wire.attach(async (request) =>
        request.context.requestId === PROBER.requestId ? { ok: true, result: null } : handler(request),
      );
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

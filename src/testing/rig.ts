import { InProcessBus, type InProcessBusOptions } from "../../transports/in-process.ts";
import { AdminApi } from "../core/admin-api.ts";
import type { LaneCapacities } from "../core/engine/engine-link.ts";
import type { EngineTransport } from "../core/engine/transport.ts";
import type { UnknownFields } from "../core/validation/input-size.ts";
import { type EngineBus, serveEngine } from "../engine/serve.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import type { Installation } from "../engine/simulated/installation-schema.ts";
import { SimulatedEngine } from "../engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../files/package-files.ts";
import { EngineGate } from "./engine-gate.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryAudit } from "./memory-audit.ts";

/** What a test may want different from the usual rig. */
export interface TestRigOptions {
  /** What the simulated engine runs; the sample installation unless given. */
  readonly installation?: Installation;
  /** Name of the gateway in audit records. */
  readonly gateway?: string;
  readonly timeoutMs?: number;
  readonly maxRiskCommands?: number;
  readonly capacities?: Partial<LaneCapacities>;
  readonly userShare?: number;
  readonly largeAnswers?: number;
  readonly unknownFields?: UnknownFields;
  readonly projectionKeys?: Iterable<string>;
  readonly bus?: Omit<InProcessBusOptions, "clock">;
}

/** A whole installation in one process, without sockets, its clock held by the test. */
export interface TestRig {
  readonly api: AdminApi;
  readonly engine: SimulatedEngine;
  readonly clock: ManualClock;
  readonly audit: MemoryAudit;
  /** Decides what becomes of requests on their way to the engine. */
  readonly gate: EngineGate;
  readonly bus: InProcessBus;
  close(): Promise<void>;
}

/**
 * Starts the API on a simulated engine whose order flow stands still.
 *
 * @example
 * const { api, clock } = await startTestRig();
 * await api.as(principal("alice", ["HALT_RESUME_TRADING"])).haltTrading();
 * clock.advance(1_000); // a halt is applied asynchronously
 */
export async function startTestRig(options: TestRigOptions = {}): Promise<TestRig> {
  const clock = new ManualClock();
  const { bus: limits, ...others } = options;
  const bus = new InProcessBus({ ...limits, clock });
  return { ...(await assembleRig(others, { transport: bus, bus, clock })), bus };
}

/** Both ends of a way to the engine, and the clock of API and engine. */
export interface RigParts {
  readonly transport: EngineTransport;
  readonly bus: EngineBus;
  readonly clock: ManualClock;
}

/** Puts an installation together on any transport. */
export async function assembleRig(
  { installation, ...apiOptions }: Omit<TestRigOptions, "bus">,
  { transport, bus, clock }: RigParts,
): Promise<Omit<TestRig, "bus">> {
  const audit = new MemoryAudit();
  const gate = new EngineGate(bus);
  const engine = new SimulatedEngine(installation ?? (await loadInstallation(sampleInstallation())), { clock });
  await serveEngine(engine, gate, clock);
  const api = new AdminApi({ ...apiOptions, transport, audit, clock });
  await api.start();
  return { api, engine, clock, audit, gate, close: () => api.close() };
}

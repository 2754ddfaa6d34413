import { InProcessBus, type InProcessBusOptions } from "../../transports/in-process.ts";
import { AdminApi } from "../core/admin-api.ts";
import { type AdminApiOptions, API_OPTIONS } from "../core/admin-api-options.ts";
import type { CallContext, Calls } from "../core/calls/call.ts";
import type { EngineRequest, EngineTransport } from "../core/engine/transport.ts";
import { type Logger, processWarnings } from "../core/logger.ts";
import type { OperationName } from "../core/operations/table.ts";
import { CLOCK, functionLike, ifGiven, methodsOf, numberLike, OBJECT, optionsOf } from "../core/options.ts";
import { POLICY, type Policy } from "../core/policy/policy.ts";
import type { Principal } from "../core/principal.ts";
import type { AuditRecord, AuditSink } from "../core/records/record.ts";
import type { FixPort } from "../engine/fix/port.ts";
import { type EngineBus, serveEngine } from "../engine/serve.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import type { Installation } from "../engine/simulated/installation-schema.ts";
import { SimulatedEngine } from "../engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../files/package-files.ts";
import { EngineGate } from "./engine-gate.ts";
import { FaultScript, type TypedRequest } from "./faults.ts";
import { FaultyTransport } from "./faulty-transport.ts";
import { type InjectedRequest, type InjectedResponse, Injector } from "./inject.ts";
import { ManualClock, type Truthy, type UntilOptions, until } from "./manual-clock.ts";
import { type RigUser, RigUsers } from "./rig-users.ts";

/** Both ends of a way to the engine. */
export interface RigTransport {
  /** The gateway's end. */
  readonly transport: EngineTransport;
  /** The engine's end, on which the rig serves its engine. */
  readonly bus: EngineBus;
  /** Called when the rig is closed, after the API. */
  close?(): void | Promise<void>;
}

/** Options of a rig; those of `AdminApi` are passed to it. */
export interface TestRigOptions extends Omit<AdminApiOptions, "transport" | "audit" | "clock" | "gate"> {
  /** Installation of the simulated engine; the sample installation unless given. */
  readonly installation?: Installation;
  /** Seed of all chance in the engine, in place of the installation's. */
  readonly seed?: number;
  /** Users who log in by HTTP Basic, by name. Without it nobody logs in, and `as` takes any name, with all permissions. */
  readonly users?: Readonly<Record<string, RigUser>>;
  /** The policy of the API, the same as `authorize`. */
  readonly policy?: Policy;
  /** Keeps the audit records in place of the rig's own `audit`, such as a sink of the host's or one that is slow. */
  readonly audit?: AuditSink;
  /** Opens another way to the engine than the bus within the process. */
  readonly transport?: (clock: ManualClock) => RigTransport | Promise<RigTransport>;
  /** The held clock, where a policy or a sink is to have it too; the rig makes one unless given. */
  readonly clock?: ManualClock;
  /** Limits of the bus within the process. */
  readonly bus?: Omit<InProcessBusOptions, "clock">;
}

const { gate: _, ...ofApi } = API_OPTIONS;

const checked = optionsOf<TestRigOptions>("startTestRig", {
  ...ofApi,
  installation: ifGiven(OBJECT),
  seed: ifGiven(numberLike("1")),
  users: ifGiven(OBJECT),
  policy: ifGiven(POLICY),
  audit: ifGiven(methodsOf(["write"], "{ write }")),
  transport: ifGiven(functionLike("(clock) => ({ transport, bus })")),
  clock: ifGiven(CLOCK),
  bus: ifGiven(OBJECT),
});

/** A whole installation in one process, without sockets, its clock held by the test. */
export interface TestRig {
  /** The API under test, started. */
  readonly api: AdminApi;
  /** The engine behind it; its methods may be called directly, as for a look at its state. */
  readonly engine: SimulatedEngine;
  /** Stands until the test advances it; the API and the engine share it. */
  readonly clock: ManualClock;
  /** The audit records so far, unless the options name another sink. */
  readonly audit: MemoryAudit;
  /** Holds requests up at the engine's end, or replies in its place. */
  readonly gate: EngineGate;
  /** The bus within the process; with `transport`, it has no engine. */
  readonly bus: InProcessBus;
  /** Faults on the way to the engine. */
  readonly faults: FaultScript;
  /**
   * Port on 127.0.0.1 at which FIX 4.4 clients log on to an order-entry gateway, the first one unless named. The first call opens the
   * ports. A halt holds orders up until the clock has gone the engine's control delay further: let `until` wait for them.
   */
  fixPort(gateway?: string): Promise<number>;
  /** Sends an HTTP request without a socket. */
  inject(request: InjectedRequest): Promise<InjectedResponse>;
  /** The typed calls of a principal or a user by name, perhaps with a request id, an address or a trace. */
  as(user: Principal | string, context?: CallContext): Calls;
  /** Requests that were sent to the engine, of one operation or all, in this order. */
  received(): EngineRequest[];
  received<K extends OperationName>(operation: K): TypedRequest<K>[];
  /**
   * Lets the program run, and the clock advance in small steps, until the condition holds, and returns its value. Throws after a minute
   * of the held clock. With `stepMs: 0` the clock stands meanwhile: what needs sockets but no held time comes at an exact time.
   */
  until<T>(condition: () => T | Promise<T>, options?: UntilOptions): Promise<Truthy<T>>;
  /** Closes the API and the engine; pending calls fail. */
  close(): Promise<void>;
}

/**
 * Starts the API on a simulated engine whose order flow is paused.
 *
 * @example
 * const rig = await startTestRig({ users: { alice: { password: "secret" } } });
 * rig.faults.add({ operation: "haltTrading", kind: "late" });
 * const halting = rig.inject({ method: "POST", url: "/api/admin/v1/trading/halt", as: "alice" });
 * await rig.until(() => rig.received("haltTrading").length === 1);
 * rig.clock.advance(10_000);
 * expect((await halting).status).toBe(504);
 */
export async function startTestRig(given: TestRigOptions = {}): Promise<TestRig> {
  const { bus: limits, transport, clock = new ManualClock(), ...options } = checked(given);
  if (options.policy && options.authorize) throw new TypeError("startTestRig takes `policy` or `authorize`, not both");
  const bus = new InProcessBus({ ...limits, clock });
  const way = (await transport?.(clock)) ?? { transport: bus, bus };
  return { ...(await assembleRig(options, { ...way, clock })), bus };
}

let sample: Promise<Installation> | undefined;

/** The sample installation, which nobody changes: it is read once for all rigs. */
function theSample(): Promise<Installation> {
  sample ??= loadInstallation(sampleInstallation());
  return sample;
}

/** Puts an installation together on any transport. */
export async function assembleRig(
  {
    installation,
    seed,
    users,
    policy,
    audit: sink,
    ...apiOptions
  }: Omit<TestRigOptions, "bus" | "transport" | "clock">,
  { transport, bus, clock, close }: RigTransport & Pick<TestRig, "clock">,
): Promise<Omit<TestRig, "bus">> {
  const audit = new MemoryAudit();
  const gate = new EngineGate(bus);
  const engine = new SimulatedEngine(installation ?? (await theSample()), {
    clock,
    ...(seed !== undefined && { seed }),
  });
  await serveEngine(engine, gate, clock);
  const faults = new FaultScript();
  const faulty = new FaultyTransport(transport, faults, clock);
  const api = new AdminApi({
    ...(policy && { authorize: policy }),
    ...apiOptions,
    transport: faulty,
    audit: sink ?? audit,
    // Reads that no test has asked for would be among those that it counts and holds up.
    stopCheck: apiOptions.stopCheck ?? false,
    log: apiOptions.log ?? surprises(clock),
    clock,
  });
  await api.start();
  const known = new RigUsers(users, clock);
  const injector = new Injector(api, known);
  return {
    api,
    engine,
    clock,
    audit,
    gate,
    faults,
    fixPort: fixPortsOf(engine),
    inject: (request) => injector.inject(request),
    as: (user, context) => api.as(known.principalOf(user), context),
    received: ((operation?: OperationName) =>
      faulty.sent.filter(({ method }) => operation === undefined || method === operation)) as TestRig["received"],
    until: (condition, waiting) => until(clock, condition, waiting),
    close: async () => {
      // A sink that the test holds is given up when its time is over.
      const closing = Promise.all([api.close(), engine.closeFixPorts()]).then(() => true);
      await until(clock, () => closing);
      await close?.();
    },
  };
}

/** Faults and lost records are what a test brings about; what its own parts throw is a warning. */
function surprises(clock: ManualClock): Logger {
  const warnings = processWarnings("give startTestRig a `log` to have all that goes wrong", clock);
  const error: Logger["error"] = (message, details) => {
    if (details?.code === "INTERNAL" || details?.code === "POLICY_FAILED") warnings.error(message, details);
  };
  return { info: () => {}, warn: () => {}, error };
}

function fixPortsOf(engine: SimulatedEngine): TestRig["fixPort"] {
  let opening: Promise<readonly FixPort[]> | undefined;
  return async (gateway) => {
    opening ??= engine.openFixPorts();
    const ports = await opening;
    const found = gateway === undefined ? ports[0] : ports.find((port) => port.gateway === gateway);
    if (found) return found.port;
    const names = ports.map((port) => port.gateway).join(", ") || "none";
    throw new TypeError(`The installation has no order-entry gateway ${gateway ?? ""}; there are: ${names}`);
  };
}

/** An audit sink that keeps its records in memory, and can be made to fail. */
export class MemoryAudit implements AuditSink {
  /** All records, in the order in which they were written. */
  readonly records: AuditRecord[] = [];
  /** Error of all further writes, until it is set to undefined. */
  failure: Error | undefined;

  write(record: AuditRecord): void {
    if (this.failure) throw this.failure;
    this.records.push(record);
  }

  /** Stages of the records, in the order in which they came. */
  get stages(): string[] {
    return this.records.map(({ stage }) => stage);
  }
}

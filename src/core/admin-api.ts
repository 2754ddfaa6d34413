import { type AdminApiOptions, checkedApiOptions } from "./admin-api-options.ts";
import { type ApiParts, assemble } from "./calls/assembly.ts";
import {
  type Call,
  type CallContext,
  type Calls,
  type InputSource,
  type RequestArrival,
  reportOf,
} from "./calls/call.ts";
import { type Clock, monotonicMs, systemClock } from "./clock.ts";
import { requestIds } from "./conventions.ts";
import type { LaneLoad } from "./engine/engine-link.ts";
import type { EngineTransport, LinkState } from "./engine/transport.ts";
import { AdminError } from "./errors.ts";
import { type AdminEvents, type FailedLogin, Listeners } from "./events.ts";
import { Gate } from "./load/gate.ts";
import { asValue, type OutputForm } from "./load/output-form.ts";
import { Stalls } from "./load/stalls.ts";
import { logOrWarn } from "./log-events.ts";
import type { Logger } from "./logger.ts";
import { type ExtensionName, type Extensions, extensions } from "./operations/extensions.ts";
import type { Lane, Operation } from "./operations/operation.ts";
import {
  type CallName,
  callRecords,
  type Input,
  isExtension,
  type OperationName,
  type Operations,
  type Output,
  operationsFor,
} from "./operations/table.ts";
import { requireArgument } from "./options.ts";
import { PRINCIPAL, type Principal } from "./principal.ts";
import type { LastCommand } from "./records/last-commands.ts";
import type { AuditSink } from "./records/record.ts";
import type { StopsView } from "./stops/known-stops.ts";
import type { UnknownFields } from "./validation/input-size.ts";
import { prepareInput, type ValidInput } from "./validation/validation.ts";
import { isObject } from "./values/basics.ts";
import { projectionKeys } from "./values/projection.ts";

/**
 * The administrative API without HTTP: the only way to run an operation. Permission, input, audit and deadline are the
 * same for callers within the process and through an adapter.
 *
 * @example
 * const api = new AdminApi({ transport, audit });
 * await api.start();
 * await api.as(principal("alice", ["HALT_RESUME_TRADING"])).haltTrading({ reason: "drill" });
 */
export class AdminApi {
  /** The operation table of this installation. */
  readonly operations: Operations;
  /** Operations beyond the specification; none unless {@link AdminApiOptions.extensions} allows them. */
  readonly extensions: Partial<Extensions>;
  /** What was stopped through this API. */
  readonly stops: StopsView;
  /** Scheduler of the work, shared with the edges. */
  readonly gate: Gate;
  /** Whether unknown fields of a request are refused (`reject`, 400) or ignored. */
  readonly unknownFields: UnknownFields;
  readonly #clock: Clock;
  readonly #transport: EngineTransport;
  readonly #history: AuditSink["history"];
  readonly #log: Logger | undefined;
  readonly #listeners = new Listeners();
  readonly #nextRequestId = requestIds();
  readonly #parts: ApiParts;
  readonly #records: ReadonlyMap<CallName, Operation>;
  readonly #stalls: Stalls;
  /** Writes what was only counted to the log. */
  readonly #endLog: () => Promise<void>;
  #arrivals = 0;
  #isClosed = false;
  #started: Promise<void> | undefined;

  constructor(options: AdminApiOptions) {
    const { transport, clock = systemClock } = checkedApiOptions(options);
    const keys = projectionKeys(options.projectionKeys);
    this.operations = operationsFor(options.projectionKeys && keys, options.maxRiskCommands);
    this.extensions = (options.extensions ?? true) ? extensions : {};
    this.#records = callRecords(this);
    this.#clock = clock;
    this.#transport = transport;
    this.#stalls = new Stalls(() => monotonicMs(clock));
    this.#history = options.audit.history;
    this.#log = options.log;
    this.unknownFields = options.unknownFields ?? "reject";
    this.gate = options.gate ?? new Gate(clock);
    const { operations, gate, unknownFields } = this;
    this.#parts = assemble(options, { clock, gate, operations, unknownFields, keys, listeners: this.#listeners });
    this.stops = this.#parts.stops;
    this.#endLog = logOrWarn(this, this.#listeners, options.log, clock);
  }

  /**
   * Starts to connect to the engine; until it is reachable, calls fail with `ENGINE_UNAVAILABLE`. Called again, it returns the promise of
   * the first start.
   */
  async start(): Promise<void> {
    if (this.#isClosed) throw new Error("The AdminApi has been closed and cannot be started again; make a new one");
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    this.#stalls.start(this.#clock);
    const { stopCheck, commands } = this.#parts;
    stopCheck.start(this.#history && commands.recalled(this.#history));
    this.#parts.cutOff.start();
    this.#parts.link.start();
    return this.#transport.start(this.#log);
  }

  /**
   * Closes the link to the engine, which fails pending calls, and records their outcomes and the pending counts of refusals and failed
   * logins. The audit sink may be closed afterwards.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stalls.stop();
    const { failedLogins, refusals, stopCheck, cutOff, link, mutations } = this.#parts;
    const recorded = [failedLogins.close(), refusals.close(), stopCheck.close(), cutOff.close()];
    try {
      await this.#transport.close();
    } finally {
      link.close();
      await Promise.all([mutations.whenRecorded(), ...recorded]);
      await this.#endLog();
    }
  }

  /** The last commands that were about to be sent to the engine, with what happened to them, and all that wait for a second person; the latest last. */
  get lastCommands(): readonly LastCommand[] {
    return this.#parts.commands.all;
  }

  /** Whether the engine can be reached now. */
  get linkState(): LinkState {
    return this.#transport.state;
  }

  /**
   * Compares what was stopped with what the engine shows, now, and asks it again what it can do. Call it when a link to the engine has come
   * up: an engine that was restarted may have forgotten its stops, or be another version. Without, that is noticed within a minute.
   */
  compareStops(): void {
    this.#parts.optionalReads.forget();
    this.#parts.stopCheck.soon();
  }

  /**
   * Reads for the host itself, such as for its metrics: in the read lane, under the gateway's own name, without permission or `call` event.
   * Rejects with {@link AdminError}.
   */
  readAsGateway<K extends OperationName>(name: K, input: Input<K>): Promise<Output<K>> {
    return this.#parts.reads.own(name, input);
  }

  /**
   * Notes that a request has arrived. An edge in which requests wait calls it before they do and hands it on in the context of the call:
   * a change that arrived before a stop must not overtake it, and its deadline counts from here.
   */
  arrive(): RequestArrival {
    this.#arrivals += 1;
    return { place: this.#arrivals, at: this.#stalls.arrival() };
  }

  laneOf(name: CallName): Lane {
    return this.#record(name).lane;
  }

  /** Current use of a lane. */
  laneLoad(lane: Lane): LaneLoad {
    return this.#parts.link.load(lane);
  }

  /** Adds a listener to one of {@link AdminEvents}; the returned function removes it. Its exceptions become warnings of the process. */
  on<E extends keyof AdminEvents>(event: E, listener: (value: AdminEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  /** Calls the `failure` listeners for a request that failed in an edge, before it became a call. */
  reportFailure(requestId: string, error: AdminError): void {
    this.#listeners.emit("failure", { operation: null, requestId, error });
  }

  /**
   * Records that an edge rejected a request's credentials: the first per user and address immediately, the others
   * of that minute as a count. Calls the `loginFailed` listeners for each.
   */
  reportFailedLogin(login: FailedLogin): void {
    this.#parts.failedLogins.add(login);
  }

  /** Runs one operation as a principal. Rejects with {@link AdminError}; its `code` and `status` have the reason. */
  async call<K extends CallName>(
    name: K,
    input: Input<K>,
    principal: Principal,
    context?: CallContext,
  ): Promise<Output<K>> {
    const known = isObject(input) ? input : {};
    return (await this.invoke(name, { known, read: () => input }, principal, context)) as Output<K>;
  }

  /** The operations as typed methods, for one principal: `api.as(alice).haltTrading({ reason })`. */
  as(principal: Principal, context?: CallContext): Calls {
    requireArgument("AdminApi.as", "principal", principal, PRINCIPAL);
    const methods = [...this.#records.keys()].map((name) => [
      name,
      (input: Input<typeof name> = {} as Input<typeof name>) => this.call(name, input, principal, context),
    ]);
    return Object.fromEntries(methods) as Calls;
  }

  /**
   * Runs one operation for an edge with encoded input: `source` is read only after the permission check. `form`
   * is the target form of the output. Rejects with {@link AdminError}, also for exceptions of `source`.
   */
  async invoke<T = unknown>(
    name: CallName,
    source: InputSource,
    principal: Principal,
    context: CallContext = {},
    form: OutputForm<T> = asValue as OutputForm<T>,
  ): Promise<T> {
    const call = this.#begin(name, principal, context);
    try {
      const output = await this.#run(call, source, form);
      this.#reportInvalid(call);
      this.#report(call, 200, "applied");
      return output;
    } catch (thrown) {
      throw this.#failed(call, thrown);
    }
  }

  /** Validates input without running the operation, so that an edge can cache the result. Throws `BAD_REQUEST`. */
  validate(name: CallName, raw: unknown): ValidInput {
    return prepareInput(name, this.#record(name), raw, this.unknownFields);
  }

  #record(name: CallName): Operation {
    const record = this.#records.get(name);
    if (!record) throw new AdminError("UNKNOWN_PATH", `This API has no operation ${name}`);
    return record;
  }

  #run<T>(call: Call<CallName>, source: InputSource, form: OutputForm<T>): Promise<T> {
    if (isOfExtension(call)) return this.#parts.runExtension(call, source, form);
    const way = call.operation.lane === "read" ? this.#parts.reads : this.#parts.mutations;
    return way.run(call as Call, source, form);
  }

  #begin(name: CallName, principal: Principal, context: CallContext): Call<CallName> {
    const operation = this.#record(name);
    const requestId = context.requestId ?? this.#nextRequestId();
    return {
      // A caller may send one request id twice; an audit id is never used twice.
      id: operation.lane === "read" ? requestId : crypto.randomUUID(),
      name,
      operation,
      principal,
      requestId,
      context,
      arrival: context.arrival ?? this.arrive(),
    };
  }

  /** Says what is not shown of the engine's reply, to the caller and the listeners. */
  #reportInvalid({ name, requestId, context, invalid }: Call<CallName>): void {
    if (!invalid || invalid.count === 0) return;
    const { count, message } = invalid;
    this.#listeners.call("`onWarning` of a call", () => context.onWarning?.(message));
    this.#listeners.emit("invalidReply", { operation: name, requestId, count, message });
  }

  #failed(call: Call<CallName>, thrown: unknown): AdminError {
    const error = AdminError.from(thrown);
    if (error.status >= 500) {
      this.#listeners.emit("failure", { operation: call.name, requestId: call.requestId, error });
    }
    this.#report(call, error.status, error.outcome);
    return error;
  }

  #report(call: Call<CallName>, status: number, outcome: AdminError["outcome"]): void {
    if (!this.#listeners.has("call")) return;
    this.#listeners.emit("call", reportOf(call, this.#clock, status, outcome));
  }
}

function isOfExtension(call: Call<CallName>): call is Call<ExtensionName> {
  return isExtension(call.name);
}

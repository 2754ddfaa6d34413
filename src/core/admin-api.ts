import { randomUUID } from "node:crypto";
import type { AuditSink } from "./audit.ts";
import { AuditTrail } from "./audit-trail.ts";
import type { Call, CallContext, Calls, InputSource } from "./call.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Conforms, compileConformity } from "./conformity.ts";
import {
  DEFAULT_CAPACITIES,
  DEFAULT_USER_SHARE,
  EngineLink,
  type LaneCapacities,
  type LaneLoad,
} from "./engine-link.ts";
import { AdminError } from "./errors.ts";
import { type AdminEvents, type FailedLogin, Listeners } from "./events.ts";
import { FailedLogins } from "./failed-logins.ts";
import { longList } from "./long-list.ts";
import { andThen, type MaybePromise } from "./maybe-promise.ts";
import { performMutation } from "./mutation.ts";
import type { Lane } from "./operation.ts";
import {
  buildOperations,
  type Input,
  type OperationName,
  type Operations,
  type Output,
  operationNames,
  operationRecord,
} from "./operations.ts";
import type { Principal } from "./principal.ts";
import { projectionKeys } from "./projection.ts";
import { ReadSchedule } from "./read-schedule.ts";
import { decodeInSteps, decodeReply, engineRequest } from "./reply.ts";
import { requestIds } from "./request-id.ts";
import type { EngineReply, EngineTransport, LinkState } from "./transport.ts";
import { ValidInput, validInput } from "./valid-input.ts";
import type { UnknownFields } from "./validation.ts";

/** How an {@link AdminApi} is put together. */
export interface AdminApiOptions {
  /** The way to the engine. */
  readonly transport: EngineTransport;
  /** Where every mutation is recorded (specification, convention 8). */
  readonly audit: AuditSink;
  /** Milliseconds that the engine is given for an answer; 10,000 unless tests need less (convention 6). */
  readonly timeoutMs?: number;
  /** Requests of each lane that may be under way at once. */
  readonly capacities?: Partial<LaneCapacities>;
  /** Part of each lane that one user may have, above 0 and at most 1; 0.5 unless given. */
  readonly userShare?: number;
  /** Whether unknown request fields are refused (default) or ignored (decision D-HTTP 6). */
  readonly unknownFields?: UnknownFields;
  /** Projection keys besides the standard ones (decision D-VAL 2). */
  readonly projectionKeys?: Iterable<string>;
  /** When reads do their work; share it with the transport that decodes their replies. */
  readonly reads?: ReadSchedule;
  readonly clock?: Clock;
}

/**
 * The administrative API without HTTP: the only way to run an operation. Permission, input, audit and deadline are the
 * same for callers in the process and for those that come through an adapter.
 *
 * @example
 * const api = new AdminApi({ transport, audit });
 * await api.start();
 * await api.as(principal("alice", ["HALT_RESUME_TRADING"])).haltTrading({ reason: "drill" });
 */
export class AdminApi {
  /** The operation table of this installation. */
  readonly operations: Operations;
  /** When reads of this process do their work; edges do theirs in it too. */
  readonly reads: ReadSchedule;
  readonly unknownFields: UnknownFields;
  readonly #transport: EngineTransport;
  readonly #link: EngineLink;
  readonly #trail: AuditTrail;
  readonly #failedLogins: FailedLogins;
  readonly #listeners = new Listeners();
  readonly #nextRequestId = requestIds();
  readonly #conformity: Readonly<Record<OperationName, Conforms>>;

  constructor(options: AdminApiOptions) {
    const { transport, audit: sink, clock = systemClock, timeoutMs = 10_000 } = options;
    this.operations = buildOperations(projectionKeys(options.projectionKeys));
    this.#conformity = compileOutputs(this.operations);
    this.#transport = transport;
    this.unknownFields = options.unknownFields ?? "reject";
    this.reads = options.reads ?? new ReadSchedule();
    const capacities = { ...DEFAULT_CAPACITIES, ...options.capacities };
    const userShare = options.userShare ?? DEFAULT_USER_SHARE;
    this.#link = new EngineLink({ transport, clock, timeoutMs, capacities, userShare, reads: this.reads });
    this.#trail = new AuditTrail({ sink, clock, timeoutMs, listeners: this.#listeners });
    this.#failedLogins = new FailedLogins({ trail: this.#trail, clock, listeners: this.#listeners });
  }

  /** Begins to connect to the engine; until it can be reached, calls fail with `ENGINE_UNAVAILABLE`. */
  start(): Promise<void> {
    return this.#transport.start();
  }

  /** Lets go of the engine; calls that wait for it fail. */
  async close(): Promise<void> {
    this.#failedLogins.close();
    this.#link.close();
    await this.#transport.close();
  }

  /** Whether the engine can be reached now. */
  get linkState(): LinkState {
    return this.#transport.state;
  }

  /** How much of a lane is in use now. */
  laneLoad(lane: Lane): LaneLoad {
    return this.#link.load(lane);
  }

  /** Adds a listener for what happens in the API; the returned function takes it away. */
  on<E extends keyof AdminEvents>(event: E, listener: (value: AdminEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  /** Tells the `failure` listeners of a request that failed in an edge, before it became a call. */
  reportFailure(requestId: string, error: AdminError): void {
    this.#listeners.emit("failure", { operation: null, requestId, error });
  }

  /**
   * Records that an edge did not accept a request's credentials (decision D-LOG 1): the first of a user and an address at once,
   * what follows within a minute as a number. Tells the `loginFailed` listeners of each.
   */
  reportFailedLogin(login: FailedLogin): void {
    this.#failedLogins.add(login);
  }

  /** Runs one operation as a principal. Rejects with {@link AdminError}, whose `code` and `status` say why. */
  async call<K extends OperationName>(
    name: K,
    input: Input<K>,
    principal: Principal,
    context?: CallContext,
  ): Promise<Output<K>> {
    const known = isRecord(input) ? input : {};
    return (await this.invoke(name, { known, read: () => input }, principal, context)) as Output<K>;
  }

  /** The typed face of the API for one principal: `api.as(alice).haltTrading({ reason })`. */
  as(principal: Principal, context?: CallContext): Calls {
    const methods = operationNames.map((name) => [
      name,
      (input: Input<typeof name> = {} as Input<typeof name>) => this.call(name, input, principal, context),
    ]);
    return Object.fromEntries(methods) as Calls;
  }

  /**
   * Runs one operation for an edge that has to decode its input first: `source` is read only once the permission is
   * certain (decision D-HTTP 1). Throws or rejects with {@link AdminError}, also for what `source` throws.
   */
  invoke(
    name: OperationName,
    source: InputSource,
    principal: Principal,
    context: CallContext = {},
  ): MaybePromise<unknown> {
    const call = this.#begin(name, principal, context);
    try {
      const isRead = call.operation.lane === "read";
      const output = isRead
        ? this.reads.run(principal.name, () => this.#read(call, source))
        : this.#mutate(call, source);
      if (!(output instanceof Promise)) return this.#succeeded(call, output);
      return output.then(
        (value) => this.#succeeded(call, value),
        (thrown: unknown) => this.#failed(call, thrown),
      );
    } catch (thrown) {
      return this.#failed(call, thrown);
    }
  }

  /** Checks input without running the operation, so that an edge can keep the result. Throws `BAD_REQUEST`. */
  validate(name: OperationName, raw: unknown): ValidInput {
    return validInput(name, operationRecord(this.operations, name), raw, this.unknownFields);
  }

  #begin(name: OperationName, principal: Principal, context: CallContext): Call {
    const operation = operationRecord(this.operations, name);
    const requestId = context.requestId ?? this.#nextRequestId();
    return {
      // A caller may send one request id twice; an audit id is never used twice.
      id: operation.lane === "read" ? requestId : randomUUID(),
      name,
      operation,
      conforms: this.#conformity[name],
      principal,
      requestId,
      context,
      startedAt: performance.now(),
    };
  }

  #read(call: Call, source: InputSource): MaybePromise<unknown> {
    authorize(call);
    return andThen(source.read(), (raw) => {
      const { prepared } = this.#valid(call, raw);
      const reply = this.#link.send(engineRequest(call, prepared.input, this.#link.deadline()));
      return andThen(reply, (found) => this.#decodeRead(call, found));
    });
  }

  #decodeRead(call: Call, reply: EngineReply): MaybePromise<unknown> {
    const list = reply.ok ? longList(reply.result) : undefined;
    return list ? this.reads.steps(call.principal.name, decodeInSteps(call, list)) : decodeReply(call, reply);
  }

  async #mutate(call: Call, source: InputSource): Promise<unknown> {
    if (call.operation.lane !== "stop") return this.#perform(call, source);
    const done = this.reads.makeWay();
    return this.#perform(call, source).finally(done);
  }

  async #perform(call: Call, source: InputSource): Promise<unknown> {
    const { prepared } = await this.#admit(call, source);
    if (prepared.warning !== undefined) call.context.onWarning?.(prepared.warning);
    return performMutation({ link: this.#link, trail: this.#trail, listeners: this.#listeners }, call, prepared);
  }

  /** Checks permission, then input. A mutation that is refused here is recorded (decision D-LOG 1). */
  async #admit(call: Call, source: InputSource): Promise<ValidInput> {
    let parameters = source.known;
    try {
      authorize(call);
      const raw = await source.read();
      if (isRecord(raw)) parameters = raw;
      return this.#valid(call, raw);
    } catch (thrown) {
      const { outcome, status, message } = AdminError.from(thrown);
      await this.#trail.keep(this.#trail.record(call, outcome, { parameters, status, message }), call.operation.lane);
      throw thrown;
    }
  }

  #valid(call: Call, raw: unknown): ValidInput {
    if (raw instanceof ValidInput && raw.operation === call.name) return raw;
    return validInput(call.name, call.operation, raw, this.unknownFields);
  }

  #succeeded(call: Call, output: unknown): unknown {
    this.#report(call, 200, "applied");
    return output;
  }

  #failed(call: Call, thrown: unknown): never {
    const error = AdminError.from(thrown);
    if (error.status >= 500) {
      this.#listeners.emit("failure", { operation: call.name, requestId: call.requestId, error });
    }
    this.#report(call, error.status, error.outcome);
    throw error;
  }

  #report(call: Call, status: number, outcome: AdminError["outcome"]): void {
    if (!this.#listeners.has("call")) return;
    this.#listeners.emit("call", {
      operation: call.name,
      lane: call.operation.lane,
      user: call.principal.name,
      requestId: call.requestId,
      status,
      outcome,
      durationMs: performance.now() - call.startedAt,
    });
  }
}

function authorize({ operation: { permission }, principal }: Call): void {
  if (permission === null || principal.permissions.has(permission)) return;
  throw new AdminError("PERMISSION_DENIED", `User "${principal.name}" lacks the permission ${permission}`);
}

function compileOutputs(table: Operations): Record<OperationName, Conforms> {
  const compiled = operationNames.map((name) => [name, compileConformity(table[name].output)]);
  return Object.fromEntries(compiled) as Record<OperationName, Conforms>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { hostname } from "node:os";
import type { AdminApiOptions } from "./admin-api-options.ts";
import { Admission } from "./calls/admission.ts";
import { type Call, type CallContext, type Calls, type InputSource, reportOf } from "./calls/call.ts";
import { type MutationParts, performMutation } from "./calls/mutation.ts";
import { Reads } from "./calls/reads.ts";
import { StopOrder } from "./calls/stop-order.ts";
import { type Clock, systemClock } from "./clock.ts";
import { requestIds } from "./conventions.ts";
import {
  DEFAULT_CAPACITIES,
  DEFAULT_LARGE_REPLIES,
  DEFAULT_USER_SHARE,
  EngineLink,
  type LaneLoad,
} from "./engine/engine-link.ts";
import type { EngineTransport, LinkState } from "./engine/transport.ts";
import { AdminError } from "./errors.ts";
import { type AdminEvents, type FailedLogin, Listeners } from "./events.ts";
import { Gate } from "./load/gate.ts";
import { longList } from "./load/long-list.ts";
import { asValue, type OutputForm } from "./load/output-form.ts";
import type { Direction, Lane, StateBefore } from "./operations/operation.ts";
import {
  buildOperations,
  type Input,
  type OperationName,
  type Operations,
  type Output,
  operationNames,
  operationRecord,
} from "./operations/table.ts";
import type { Policy } from "./policy/policy.ts";
import { PolicyCheck } from "./policy/policy-check.ts";
import type { Principal } from "./principal.ts";
import { AuditTrail } from "./records/audit-trail.ts";
import { FailedLogins } from "./records/failed-logins.ts";
import { Refusals } from "./records/refusals.ts";
import { type Conforms, compileConformities } from "./validation/conformity.ts";
import type { UnknownFields } from "./validation/input-size.ts";
import { type ValidInput, validInput } from "./validation/valid-input.ts";
import { isObject, isThenable } from "./values/basics.ts";
import { projectionKeys } from "./values/projection.ts";

type Fields = Readonly<Record<string, unknown>>;

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
  /** Decides when work is done; the edges follow it, too. */
  readonly gate: Gate;
  readonly unknownFields: UnknownFields;
  readonly #transport: EngineTransport;
  readonly #link: EngineLink;
  readonly #trail: AuditTrail;
  readonly #stops: StopOrder;
  readonly #refusals: Refusals;
  readonly #failedLogins: FailedLogins;
  readonly #listeners = new Listeners();
  readonly #mutationParts: MutationParts;
  readonly #nextRequestId = requestIds();
  readonly #conformity: Readonly<Record<OperationName, Conforms>>;
  readonly #reads: Reads;
  readonly #admission: Admission;

  constructor(options: AdminApiOptions) {
    const {
      transport,
      audit: sink,
      clock = systemClock,
      timeoutMs = 10_000,
      largeReplies = DEFAULT_LARGE_REPLIES,
    } = options;
    const keys = projectionKeys(options.projectionKeys);
    this.operations = buildOperations(keys, options.maxRiskCommands);
    this.#conformity = compileConformities(this.operations);
    this.#transport = transport;
    this.unknownFields = options.unknownFields ?? "reject";
    this.gate = options.gate ?? new Gate(clock);
    this.#link = new EngineLink({
      transport,
      clock,
      gate: this.gate,
      timeoutMs,
      capacities: { ...DEFAULT_CAPACITIES, ...options.capacities },
      userShare: options.userShare ?? DEFAULT_USER_SHARE,
      largeReplies,
      operations: this.operations,
    });
    this.#reads = new Reads(this.#link, this.gate);
    const gateway = options.gateway ?? hostname();
    this.#trail = new AuditTrail({ sink, gateway, clock, timeoutMs, listeners: this.#listeners });
    this.#refusals = new Refusals(this.#trail, clock);
    this.#stops = new StopOrder(keys);
    this.#mutationParts = {
      link: this.#link,
      trail: this.#trail,
      stops: this.#stops,
      listeners: this.#listeners,
      output: (call, result) => this.#reads.output(call, result, asValue),
    };
    this.#failedLogins = new FailedLogins({ trail: this.#trail, clock, listeners: this.#listeners });
    this.#admission = new Admission({
      refusals: this.#refusals,
      unknownFields: this.unknownFields,
      policy: options.authorize && this.#policyCheck(options.authorize, clock, timeoutMs),
    });
  }

  /** Begins to connect to the engine; until it can be reached, calls fail with `ENGINE_UNAVAILABLE`. */
  start(): Promise<void> {
    return this.#transport.start();
  }

  /** Closes the link to the engine; calls that wait for it fail. What was counted and not yet recorded is recorded. */
  async close(): Promise<void> {
    const recorded = [this.#failedLogins.close(), this.#refusals.close()];
    this.#link.close();
    await Promise.all([this.#transport.close(), ...recorded]);
  }

  /** Whether the engine can be reached now. */
  get linkState(): LinkState {
    return this.#transport.state;
  }

  /** Lane of an operation. */
  laneOf(name: OperationName): Lane {
    return this.operations[name].lane;
  }

  /** How much of a lane is in use now. */
  laneLoad(lane: Lane): LaneLoad {
    return this.#link.load(lane);
  }

  /** Adds a listener for what happens in the API; the returned function removes it. */
  on<E extends keyof AdminEvents>(event: E, listener: (value: AdminEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  /** Calls the `failure` listeners for a request that failed in an edge, before it became a call. */
  reportFailure(requestId: string, error: AdminError): void {
    this.#listeners.emit("failure", { operation: null, requestId, error });
  }

  /**
   * Records that an edge did not accept a request's credentials (decision D-LOG 11): the first of a user and an address at once,
   * what follows within a minute as a number. Calls the `loginFailed` listeners for each.
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
    const known = isObject(input) ? input : {};
    return (await this.invoke(name, { known, read: () => input }, principal, context)) as Output<K>;
  }

  /** The operations as typed methods, for one principal: `api.as(alice).haltTrading({ reason })`. */
  as(principal: Principal, context?: CallContext): Calls {
    const methods = operationNames.map((name) => [
      name,
      (input: Input<typeof name> = {} as Input<typeof name>) => this.call(name, input, principal, context),
    ]);
    return Object.fromEntries(methods) as Calls;
  }

  /**
   * Runs one operation for an edge that has to decode its input first: `source` is read only once the permission is
   * certain (decision D-HTTP 1). `form` says what the output becomes. Rejects with {@link AdminError}, also for what `source` throws.
   */
  async invoke<T = unknown>(
    name: OperationName,
    source: InputSource,
    principal: Principal,
    context: CallContext = {},
    form: OutputForm<T> = asValue as OutputForm<T>,
  ): Promise<T> {
    const call = this.#begin(name, principal, context);
    try {
      const output = await (call.operation.lane === "read"
        ? this.#read(call, source, form)
        : this.#mutate(call, source, form));
      this.#report(call, 200, "applied");
      return output;
    } catch (thrown) {
      throw this.#failed(call, thrown);
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
      id: operation.lane === "read" ? requestId : crypto.randomUUID(),
      name,
      operation,
      conforms: this.#conformity[name],
      principal,
      requestId,
      context,
      startedAt: performance.now(),
    };
  }

  async #read<T>(call: Call, source: InputSource, form: OutputForm<T>): Promise<T> {
    this.#admission.permit(call);
    const found = source.read();
    const raw = isThenable(found) ? await found : found;
    const { prepared } = this.#admission.valid(call, raw);
    return this.#reads.send(call, prepared.input, this.#link.deadline(), form);
  }

  async #mutate<T>(call: Call, source: InputSource, form: OutputForm<T>): Promise<T> {
    this.#stops.arrived(call);
    try {
      const { prepared } = await this.#admission.command(call, source);
      const deadline = this.#link.deadline();
      if (this.#admission.hasPolicy) await this.#admission.allowed(call, prepared.input, deadline);
      this.#stops.accepted(call, prepared.input);
      if (prepared.warning !== undefined) call.context.onWarning?.(prepared.warning);
      return await this.#perform(call, prepared, deadline, form);
    } finally {
      this.#stops.left(call);
    }
  }

  async #perform<T>(call: Call, prepared: ValidInput["prepared"], deadline: number, form: OutputForm<T>): Promise<T> {
    const done = call.operation.lane === "stop" ? this.gate.beginStop() : undefined;
    try {
      const output = await performMutation(this.#mutationParts, call, prepared, deadline);
      const list = longList(output);
      return list ? await this.gate.steps(call.principal.name, form.inSteps(list, unchanged)) : form.whole(output);
    } finally {
      done?.();
    }
  }

  #policyCheck(policy: Policy, clock: Clock, timeoutMs: number): PolicyCheck {
    return new PolicyCheck({
      policy,
      clock,
      timeoutMs,
      trail: this.#trail,
      listeners: this.#listeners,
      directionFrom: (...of) => this.#directionFrom(...of),
    });
  }

  /** Reads what a change acts on, as its caller, and finds its direction. */
  async #directionFrom(before: StateBefore, call: Call, input: Fields, deadline: number): Promise<Direction> {
    const { principal, context, requestId } = call;
    const read = this.#begin(before.operation as OperationName, principal, { ...context, requestId });
    const { prepared } = this.#admission.valid(read, before.input(input));
    const found = await this.#reads.send(read, prepared.input, deadline, asValue);
    return this.gate.steps(principal.name, before.direction(input, found));
  }

  #failed(call: Call, thrown: unknown): AdminError {
    const error = AdminError.from(thrown);
    if (error.status >= 500) {
      this.#listeners.emit("failure", { operation: call.name, requestId: call.requestId, error });
    }
    this.#report(call, error.status, error.outcome);
    return error;
  }

  #report(call: Call, status: number, outcome: AdminError["outcome"]): void {
    if (!this.#listeners.has("call")) return;
    this.#listeners.emit("call", reportOf(call, status, outcome));
  }
}

function unchanged(part: unknown): unknown {
  return part;
}

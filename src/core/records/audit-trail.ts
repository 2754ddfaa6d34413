import type { Call } from "../calls/call.ts";
import { type Clock, microsecondTimestamps, monotonicMs } from "../clock.ts";
import { AdminError } from "../errors.ts";
import type { FailedLogin, Listeners } from "../events.ts";
import type { Gate } from "../load/gate.ts";
import { type Direction, directionOf } from "../operations/operation.ts";
import { TimeoutError, within } from "../timeout.ts";
import type { Fields } from "../values/basics.ts";
import type { AuditRecord, AuditSink, AuditStage, CountedRefusals, NoticedStage, TruncatedValue } from "./record.ts";
import {
  type RecordedParameters,
  recordedAnnotations,
  recordedParameters,
  recordedRows,
  recordedText,
} from "./record-size.ts";

/** Timeout of a stop's audit record; the stop then proceeds without it (decision D-LOG 13). */
const STOP_TIMEOUT_MS = 500;

// Bytes of JSON, see record-size.ts. Valid reasons and targets of one name are never longer.
const MAX_FIELD = 8 * 1024;
const MAX_MESSAGE = 4 * 1024;
const MAX_NAME = 2 * 1024;

export interface AuditTrailOptions {
  readonly sink: AuditSink;
  /** Name of this gateway. */
  readonly gateway: string;
  readonly clock: Clock;
  readonly listeners: Listeners;
  /** Decides when those who wait for a record continue. */
  readonly gate: Gate;
  /** Timeout of a record, unless its operation has less time. */
  readonly timeoutMs: number;
}

export interface RecordedInput extends RecordedParameters, Pick<AuditRecord, "target" | "reason"> {
  /** Unless a policy has been told another one. */
  readonly direction: Direction | undefined;
}

/** Contents of a record that the call itself lacks. */
export interface AuditDetails extends RecordedInput {
  readonly status?: number;
  readonly message?: string;
  /** Changes made by the mutation, see {@link recordedAfter}. */
  readonly after?: readonly unknown[] | TruncatedValue | undefined;
}

export function recordedInput(call: Call, input: Fields, isValid: boolean): RecordedInput {
  return {
    direction: directionOf(call.operation, isValid ? input : undefined),
    target: targetOf(call, input),
    reason: typeof input.reason === "string" ? recordedText(input.reason, MAX_FIELD) : null,
    ...recordedParameters(input),
  };
}

/** Makes the part of a call's record that says what it has changed; undefined where its operation does not tell. */
export function recordedAfter(
  { operation }: Call,
  input: Readonly<Record<string, unknown>>,
  output: unknown,
): AuditDetails["after"] {
  return operation.after && recordedRows(operation.after(input, output));
}

/** Writes the audit records of mutations and applies the rule by lane when a record cannot be kept. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #timestamp: () => string;

  constructor(options: AuditTrailOptions) {
    this.#options = { ...options, gateway: nameOf(options.gateway) };
    this.#timestamp = microsecondTimestamps(
      () => options.clock.now(),
      () => monotonicMs(options.clock),
    );
  }

  /** Timeout of a record that no operation waits for. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Timeout of the records of a call. A stop leaves most of its time to the engine. */
  timeoutOf({ operation }: Call): number {
    const { timeoutMs } = this.#options;
    return operation.lane === "stop" ? Math.min(STOP_TIMEOUT_MS, timeoutMs / 2) : timeoutMs;
  }

  /** Makes a record of a call; all its texts are safe to print in a log line. */
  record(call: Call, stage: AuditStage, details: AuditDetails): AuditRecord {
    const { principal, context, operation } = call;
    const { target, parameters, reason, status, message, after } = details;
    const traceId = context.traceparent?.split("-")[1];
    const direction = call.policy?.direction ?? details.direction;
    const { annotations = {}, before } = call.policy ?? {};
    return {
      id: call.id,
      time: this.#timestamp(),
      stage,
      gateway: this.#options.gateway,
      user: nameOf(principal.name),
      authentication: principal.authentication,
      ...(principal.tokenId !== undefined && { tokenId: nameOf(principal.tokenId) }),
      ...(principal.clientId !== undefined && { clientId: nameOf(principal.clientId) }),
      address: context.address === undefined ? null : nameOf(context.address),
      operation: call.name,
      lane: operation.lane,
      ...(direction !== undefined && { direction }),
      target,
      parameters,
      reason,
      requestId: nameOf(call.requestId),
      ...(traceId !== undefined && { traceId: nameOf(traceId) }),
      ...(status !== undefined && { status, durationMs: monotonicMs(this.#options.clock) - call.arrival.at }),
      ...engineTimeOf(call),
      ...(message !== undefined && { message: recordedText(message, MAX_MESSAGE) }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(Object.keys(annotations).length > 0 && { annotations: recordedAnnotations(annotations) }),
    };
  }

  /** Makes a record that stands for `count` failed logins. */
  loginRecord(login: FailedLogin, count: number): AuditRecord {
    return { ...this.#recordWithoutCall(login), count };
  }

  /** Makes a record that stands for refusals that have no records. */
  refusalsRecord({ first, count, operations }: CountedRefusals): AuditRecord {
    return { ...this.#recordWithoutCall(first), count, operations };
  }

  /** Makes the record of what was noticed about a stop; `stop` is the record of its command. */
  noticed(stage: NoticedStage, stop: AuditRecord, message: string): AuditRecord {
    const { status: _status, durationMs: _duration, engineTime: _replied, time: since, ...command } = stop;
    return { ...command, time: this.#timestamp(), stage, event: stage, gateway: this.#options.gateway, since, message };
  }

  /** Makes the record about intents that were found without an outcome, whose gateway has ended. */
  cutOffRecord(intents: readonly AuditRecord[]): AuditRecord {
    const count = intents.length;
    const message = `${count} ${count === 1 ? "command has" : "commands have"} no outcome: ${this.#ended(intents)} ended before it was recorded`;
    return this.#recordAbout("cut-off", intents, message);
  }

  /** Makes the record about requests that waited for a second person in the memory of a gateway that has ended. */
  lapsedRecord(requests: readonly AuditRecord[]): AuditRecord {
    const count = requests.length;
    const wait = `${count} ${count === 1 ? "request no longer waits" : "requests no longer wait"} for a second person`;
    return this.#recordAbout(
      "lapsed",
      requests,
      `${wait}: ${this.#ended(requests)} ended, which had them in its memory`,
    );
  }

  #recordAbout(stage: "cut-off" | "lapsed", commands: readonly AuditRecord[], message: string): AuditRecord {
    const requestId = crypto.randomUUID();
    const unnamed = { user: null, authentication: "direct", address: null, requestId } as const;
    const ids = commands.map(({ id }) => id);
    return { ...this.#recordWithoutCall({ stage, ...unnamed }), event: stage, count: ids.length, ids, message };
  }

  /** Which gateway had ended, by the intents that it left. */
  #ended(intents: readonly AuditRecord[]): string {
    const names = new Set(intents.map(({ gateway }) => gateway));
    if (names.size === 1 && names.has(this.#options.gateway)) return "the gateway";
    return `gateway ${[...names].map((name) => JSON.stringify(name)).join(", ")}`;
  }

  #recordWithoutCall(
    of: Pick<AuditRecord, "stage" | "user" | "authentication" | "address" | "requestId">,
  ): AuditRecord {
    return {
      id: crypto.randomUUID(),
      time: this.#timestamp(),
      stage: of.stage,
      gateway: this.#options.gateway,
      user: of.user === null ? null : nameOf(of.user),
      authentication: of.authentication,
      address: of.address === null ? null : nameOf(of.address),
      operation: null,
      target: null,
      parameters: {},
      reason: null,
      requestId: nameOf(of.requestId),
    };
  }

  /**
   * Records the intent of a mutation whose reply is due at a monotonic moment. Throws `AUDIT_UNAVAILABLE` if a change
   * cannot be recorded in time. `onKept` is called as soon as the record is kept.
   */
  async intent(call: Call, details: AuditDetails, due: number, onKept: () => void): Promise<void> {
    const { clock } = this.#options;
    const isStop = call.operation.lane === "stop";
    const record = this.record(call, "intent", details);
    const fate = await this.#fateOf(record, isStop ? this.timeoutOf(call) : due - monotonicMs(clock), onKept);
    if (isStop || (fate === "kept" && monotonicMs(clock) < due)) return;
    const problem = fate === "kept" ? "was recorded in the audit log too late" : "cannot be recorded in the audit log";
    const error = new AdminError("AUDIT_UNAVAILABLE", `The change ${problem}; nothing was sent`);
    // An intent that is kept after all must not look like one that was cut off.
    if (fate !== "lost")
      void this.keep(
        this.record(call, error.outcome, { ...details, status: error.status, message: error.message }),
        this.timeoutOf(call),
      );
    throw error;
  }

  /**
   * Keeps a record; returns whether it was kept in time and reports it to the listeners otherwise. Records become durable in groups,
   * which may be of hundreds: whoever waits for one continues at a turn.
   */
  async keep(record: AuditRecord, timeoutMs: number): Promise<boolean> {
    return (await this.#fateOf(record, timeoutMs, () => {})) === "kept";
  }

  async #fateOf(record: AuditRecord, timeoutMs: number, onKept: () => void): Promise<"kept" | "pending" | "lost"> {
    const { sink, clock, listeners, gate } = this.#options;
    let kept: Promise<void> | undefined;
    try {
      kept = sink.write(record)?.then(onKept);
      if (kept) await within(clock, timeoutMs, kept, `The audit sink did not keep the record within ${timeoutMs} ms`);
      else onKept();
      return "kept";
    } catch (error) {
      const pending = error instanceof TimeoutError;
      listeners.emit("auditFailure", { record, error, pending });
      if (pending) this.#reportLate(record, kept);
      return pending ? "pending" : "lost";
    } finally {
      const { lane, user } = record;
      // Nobody waits for the records of logins and counts, which have no lane.
      if (kept && lane && user !== null) await gate.reenter(user, lane === "stop" ? "stop" : "other");
    }
  }

  #reportLate(record: AuditRecord, kept: Promise<void> | undefined): void {
    const { listeners } = this.#options;
    kept?.then(
      () => listeners.emit("lateRecord", { record }),
      (error: unknown) => listeners.emit("lateRecord", { record, error }),
    );
  }
}

/** A transport may report any number: one that is not a time must not keep the record from being made. */
function engineTimeOf({ engineTime }: Call): Pick<AuditRecord, "engineTime"> {
  const time = new Date(engineTime ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? {} : { engineTime: time.toISOString() };
}

function nameOf(text: string): string {
  return recordedText(text, MAX_NAME);
}

function targetOf(call: Call, input: Readonly<Record<string, unknown>>): string | null {
  const values = call.operation.target.map((field) => input[field]);
  const isKnown = values.every((value) => typeof value === "string");
  return isKnown ? values.map((value) => recordedText(value, MAX_FIELD)).join("/") : null;
}

import type { Clock } from "../clock.ts";
import type { EngineLink } from "../engine/engine-link.ts";
import type { EngineReply } from "../engine/transport.ts";
import { AdminError } from "../errors.ts";
import type { Listeners } from "../events.ts";
import type { Gate } from "../load/gate.ts";
import { asValue, formed, type OutputForm } from "../load/output-form.ts";
import { type AuditDetails, type AuditTrail, recordedAfter, recordedInput } from "../records/audit-trail.ts";
import { type AuditStage, approvedRequestOf } from "../records/record.ts";
import type { KnownStops } from "../stops/known-stops.ts";
import type { InvalidFields } from "../validation/invalid-fields.ts";
import type { Fields } from "../values/basics.ts";
import type { ProjectionKeys } from "../values/projection.ts";
import type { Admission, Admitted } from "./admission.ts";
import type { Call, InputSource } from "./call.ts";
import { ConditionalChanges } from "./conditional-changes.ts";
import { checkedOutput, engineRequest, resultOf } from "./reply.ts";
import { StopOrder } from "./stop-order.ts";

type Prepared = Admitted["prepared"];

export interface MutationsOptions {
  readonly admission: Admission;
  readonly link: EngineLink;
  readonly gate: Gate;
  readonly trail: AuditTrail;
  readonly listeners: Listeners;
  readonly keys: ProjectionKeys;
  readonly known: KnownStops;
  readonly clock: Clock;
}

/**
 * Carries out mutations: records the intent, sends the command, records the outcome (decisions D-ENG 3, D-LOG 1, D-LOG 3,
 * D-LOAD 1). Policy and audit record take their time from the caller's deadline.
 */
export class Mutations {
  readonly #options: MutationsOptions;
  readonly #stops: StopOrder;
  readonly #conditional: ConditionalChanges;
  /** From the record of their intents to that of their outcomes. */
  readonly #inProgress = new Set<Promise<unknown>>();

  constructor(options: MutationsOptions) {
    this.#options = options;
    this.#stops = new StopOrder(options.keys);
    this.#conditional = new ConditionalChanges(options.clock);
  }

  /** Checks permission, input and policy, carries the mutation out and brings its checked output into a form. */
  async run<T>(call: Call, source: InputSource, form: OutputForm<T>): Promise<T> {
    const { admission } = this.#options;
    const { prepared, due } = await admission.checkInput(call, source);
    if (admission.hasPolicy) await admission.checkPolicy(call, prepared.input, due);
    this.#reportApproval(call);
    if (call.operation.lane === "stop") this.#stops.register(call, prepared.input);
    try {
      if (prepared.warning !== undefined) call.context.onWarning?.(prepared.warning);
      return await this.#perform(call, prepared, due, form);
    } finally {
      this.#stops.sent(call);
    }
  }

  #reportApproval({ policy, context }: Call): void {
    const request = approvedRequestOf(policy);
    if (!request) return;
    this.#options.listeners.call("`onApproval` of a call", () => context.onApproval?.(request));
  }

  async #perform<T>(call: Call, prepared: Prepared, due: number, form: OutputForm<T>): Promise<T> {
    const { gate } = this.#options;
    const endStop = call.operation.lane === "stop" ? gate.announceStop(call.principal.name) : undefined;
    try {
      const output = await this.#untilRecorded(this.#record(call, prepared, due));
      return await formed(gate, call.principal.name, output, form, (part) => part);
    } finally {
      endStop?.();
    }
  }

  /** Resolves once the outcomes of the mutations in progress have been recorded. */
  async whenRecorded(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.allSettled(this.#inProgress);
  }

  async #untilRecorded<T>(recording: Promise<T>): Promise<T> {
    this.#inProgress.add(recording);
    try {
      return await recording;
    } finally {
      this.#inProgress.delete(recording);
    }
  }

  /** Sends a mutation between the records of its intent and its outcome. */
  async #record(call: Call, { input, warning }: Prepared, due: number): Promise<unknown> {
    const { trail, known } = this.#options;
    const details: AuditDetails = {
      ...recordedInput(call, input, true),
      ...(warning !== undefined && { message: warning }),
    };
    const clockLearnt = this.#options.link.learnClock({ user: call.principal.name, requestId: call.requestId });
    let requested = this.#stops.requested;
    await trail.intent(call, details, due, () => {
      requested = this.#stops.requested;
    });
    // A stop waits for nothing.
    if (clockLearnt && call.operation.lane === "change") await clockLearnt;
    let isSent = false;
    known.begins(call.name, call.id, input);
    const change = this.#conditional.begin(call, input);
    try {
      if (call.operation.lane === "change") {
        // Others are sent in the same turn, as the order of stops and changes demands.
        if (call.context.ifMatch) await this.#options.admission.checkState(call, input, due);
        this.#stops.check(call, input, requested);
      }
      this.#conditional.send(change, call.context.ifMatch !== undefined);
      isSent = true;
      const output = await this.#send(call, input, details, due, () => this.#conditional.end(change));
      this.#conditional.end(change);
      await this.#recordApplied(call, input, { ...details, ...this.#found(call, input, output) });
      return output;
    } catch (thrown) {
      const error = isSent ? afterSending(thrown) : AdminError.from(thrown);
      const { code, outcome, status, message } = error;
      if (outcome === "unknown") this.#conditional.doubt(change);
      else this.#conditional.end(change);
      if (code !== "OUTCOME_NOT_RECORDED") await this.#keep(call, input, outcome, { ...details, status, message });
      throw error;
    }
  }

  /** `settled` is called with a late reply. */
  async #send(call: Call, input: Fields, details: AuditDetails, due: number, settled: () => void): Promise<unknown> {
    const request = engineRequest(call, input, due);
    // Hundreds of changes may wait for late replies: a large input is not kept for what it has changed.
    const kept = details.areCut ? undefined : input;
    const sent = this.#options.link.send(
      request,
      (late) => {
        settled();
        void this.#untilRecorded(this.#recordLate(call, kept, details, late));
      },
      (other) => void this.#untilRecorded(this.#recordContradiction(call, kept, details, other)),
    );
    this.#stops.sent(call);
    const reply = await sent;
    call.engineTime = reply.now;
    return await this.#output(call, resultOf(call.name, reply));
  }

  #output(call: Call, result: unknown): unknown {
    return formed(this.#options.gate, call.principal.name, result, asValue, (part) => checkedOutput(call, part));
  }

  async #recordApplied(call: Call, input: Fields, details: AuditDetails): Promise<void> {
    const kept = await this.#keep(call, input, "applied", { ...details, status: 200 });
    if (kept || call.operation.lane === "stop") return;
    throw new AdminError("OUTCOME_NOT_RECORDED", "The engine accepted the change, but this could not be recorded");
  }

  #keep(call: Call, input: Fields, stage: AuditStage, details: AuditDetails): Promise<boolean> {
    const { trail, known } = this.#options;
    const record = trail.record(call, stage, details);
    known.note(record, input);
    return trail.keep(record, trail.timeoutOf(call));
  }

  /** The new state by a reply. Rows that are left out of it may have changed, and do not count as deleted. */
  #found(call: Call, input: Fields, output: unknown): Pick<AuditDetails, "after" | "message"> {
    const { count = 0, rowsLeftOut = 0, message = "" }: Partial<InvalidFields> = call.invalid ?? {};
    const after = rowsLeftOut > 0 ? undefined : recordedAfter(call, input, output);
    return { after, ...(count > 0 && { message }) };
  }

  async #recordLate(call: Call, input: Fields | undefined, details: AuditDetails, reply: EngineReply): Promise<void> {
    const { trail, listeners, known } = this.#options;
    call.engineTime = reply.now;
    const record = trail.record(call, lateStage(reply), {
      ...details,
      ...(reply.ok ? await this.#foundLate(call, input, reply.result) : { message: reply.message }),
    });
    known.note(record, input);
    listeners.emit("lateReply", record);
    await trail.keep(record, trail.timeoutOf(call));
  }

  /** The state is in doubt then: what is known of stops is compared with the engine's. */
  async #recordContradiction(
    call: Call,
    input: Fields | undefined,
    details: AuditDetails,
    other: EngineReply,
  ): Promise<void> {
    const { trail, listeners, known } = this.#options;
    call.engineTime = other.now;
    const says = other.ok ? "applied" : `${other.refusal}: ${other.message}`;
    const message = `Another reply contradicts the one that the caller was told of; it says ${says}. Read the state`;
    const record = trail.record(call, "contradicted", { ...details, message });
    known.note(record, input);
    const { requestId, message: told = "" } = record;
    const user = record.user ?? "";
    listeners.emit("contradiction", { operation: call.name, requestId, user, message: told, record });
    await trail.keep(record, trail.timeoutOf(call));
  }

  /** The new state by a late reply, if the input was kept; empty for an invalid result: the engine applied it even so. */
  async #foundLate(call: Call, input: Fields | undefined, result: unknown): Promise<Partial<AuditDetails>> {
    if (!input) return {};
    try {
      return this.#found(call, input, await this.#output(call, result));
    } catch {
      return {};
    }
  }
}

/** Of a failure of the engine nobody knows whether it has changed anything, late or not. */
function lateStage(reply: EngineReply): AuditStage {
  if (reply.ok) return "applied late";
  return reply.refusal === "internal" ? "unknown" : "rejected late";
}

/** An unforeseen failure after the command may have been sent must not claim that it was not. */
function afterSending(thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown;
  const message = "Unexpected failure after the command was sent; details are in the monitor log";
  return new AdminError("ENGINE_FAILED", message, { cause: thrown });
}

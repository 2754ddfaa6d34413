import { randomUUID } from "node:crypto";
import { type AuditRecord, type AuditSink, type AuditStage, neutralised } from "./audit.ts";
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import { AdminError } from "./errors.ts";
import type { FailedLogin, Listeners } from "./events.ts";
import type { Lane } from "./operation.ts";
import { microsecondTimestamps } from "./timestamp.ts";

/** How long a stop waits for its record to be kept before it goes on without (decision D-LOG 3). */
const STOP_PATIENCE_MS = 500;

export interface AuditTrailOptions {
  readonly sink: AuditSink;
  readonly clock: Clock;
  readonly listeners: Listeners;
  /** How long a change waits for its record before it is refused. */
  readonly timeoutMs: number;
}

/** What a record says besides what its call says. */
export interface AuditDetails {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly message?: string;
}

/** Writes the audit records of mutations and applies the rule by lane when a record cannot be kept. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #timestamp: () => string;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
    this.#timestamp = microsecondTimestamps(
      () => options.clock.now(),
      () => performance.now(),
    );
  }

  /** Makes a record of a call; every text in it is safe to print on a line of a log. */
  record(call: Call, stage: AuditStage, details: AuditDetails): AuditRecord {
    const { principal, context } = call;
    const traceId = context.traceparent?.split("-")[1];
    return neutralised({
      id: call.id,
      time: this.#timestamp(),
      stage,
      user: principal.name,
      authentication: principal.authentication,
      ...(principal.tokenId !== undefined && { tokenId: principal.tokenId }),
      ...(principal.clientId !== undefined && { clientId: principal.clientId }),
      address: context.address ?? null,
      operation: call.name,
      target: targetOf(call, details.parameters),
      parameters: details.parameters,
      reason: typeof details.parameters.reason === "string" ? details.parameters.reason : null,
      requestId: call.requestId,
      ...(traceId !== undefined && { traceId }),
      ...(details.status !== undefined && { status: details.status, durationMs: performance.now() - call.startedAt }),
      ...(details.message !== undefined && { message: details.message }),
    });
  }

  /** Makes a record that stands for `count` failed logins; its texts are safe to print, too. */
  loginRecord({ stage, user, authentication, address, requestId }: FailedLogin, count: number): AuditRecord {
    return neutralised({
      id: randomUUID(),
      time: this.#timestamp(),
      stage,
      user,
      authentication,
      address,
      operation: null,
      target: null,
      parameters: {},
      reason: null,
      requestId,
      count,
    });
  }

  /** Keeps the intent of a mutation; throws `AUDIT_UNAVAILABLE` when a change cannot be recorded. */
  async intent(call: Call, details: AuditDetails): Promise<void> {
    const kept = await this.keep(this.record(call, "intent", details), call.operation.lane);
    if (kept || call.operation.lane === "stop") return;
    throw new AdminError("AUDIT_UNAVAILABLE", "The change cannot be recorded in the audit log; nothing was sent");
  }

  /** Keeps a record; answers whether it is kept and reports it to the listeners when it is not. */
  async keep(record: AuditRecord, lane: Lane): Promise<boolean> {
    try {
      const written = this.#options.sink.write(record);
      if (written) await this.#within(written, lane === "stop" ? STOP_PATIENCE_MS : this.#options.timeoutMs);
      return true;
    } catch (error) {
      this.#options.listeners.emit("auditFailure", { record, error });
      return false;
    }
  }

  #within(written: Promise<void>, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.schedule(patienceMs, () =>
        reject(new Error(`The audit sink did not answer within ${patienceMs} ms`)),
      );
      written.then(resolve, reject).finally(cancel);
    });
  }
}

function targetOf(call: Call, parameters: Readonly<Record<string, unknown>>): string | null {
  const values = call.operation.target.map((field) => parameters[field]);
  return values.every((value) => typeof value === "string") ? values.join("/") : null;
}

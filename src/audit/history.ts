import type { AuditRecord, AuditStage } from "../core/records/record.ts";

/** Outcome of a request: `open` if only its intent is recorded, else the stage of its last record. */
export type RecordedOutcome = "open" | Exclude<AuditStage, "intent">;

/** A request as an audit trail shows it: its intent and its outcome, joined by `id`. */
export interface RecordedRequest extends Omit<AuditRecord, "stage"> {
  /** Of the first record, UTC, RFC 3339 with microseconds. */
  readonly time: string;
  readonly outcome: RecordedOutcome;
  /** Of the record that holds the outcome; null while the request is open. */
  readonly outcomeAt: string | null;
  /** False if only an outcome is recorded: an older file is missing, or a stop did not wait for its intent. */
  readonly intentRecorded: boolean;
}

/** Outcomes of logins, of requests that the gateway refuses, and of what it finds at a start: one record each, without an intent. */
const WITHOUT_INTENT: ReadonlySet<AuditStage> = new Set([
  "denied",
  "invalid",
  "not-sent",
  "login-refused",
  "login-throttled",
  "cut-off",
]);

/** The outcome is final: no later record is expected. */
export function isSettled({ outcome }: RecordedRequest): boolean {
  return outcome !== "open" && outcome !== "unknown";
}

/** Groups the records of a trail by request, in the order of their first records. */
export class AuditHistory {
  readonly #requests = new Map<string, RecordedRequest>();

  /** Adds the next record of the trail, and returns the state of its request. */
  add(record: AuditRecord): RecordedRequest {
    const request = joined(this.#requests.get(record.id), record);
    this.#requests.set(record.id, request);
    return request;
  }

  /** Drops a request; a further record of it begins a new one. */
  forget(id: string): void {
    this.#requests.delete(id);
  }

  requests(): RecordedRequest[] {
    return [...this.#requests.values()];
  }
}

function joined(before: RecordedRequest | undefined, record: AuditRecord): RecordedRequest {
  const { stage, ...fields } = record;
  // A stop that did not wait for its intent may be recorded first.
  if (stage === "intent" && before) return { ...fields, ...before, time: fields.time, intentRecorded: true };
  if (stage === "intent") return { ...fields, outcome: "open", outcomeAt: null, intentRecorded: true };
  const intentRecorded = before?.intentRecorded ?? WITHOUT_INTENT.has(stage);
  const time = before?.time ?? record.time;
  return { ...before, ...fields, time, outcome: stage, outcomeAt: record.time, intentRecorded };
}

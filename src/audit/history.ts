import type { AuditRecord, AuditStage } from "../core/records/record.ts";

/** What became of a request: `open` when only its intent is recorded, else the stage of its last record. */
export type RecordedOutcome = "open" | Exclude<AuditStage, "intent">;

/** A request as an audit trail shows it: its intent and its outcome, joined by `id`. */
export interface RecordedRequest extends Omit<AuditRecord, "stage"> {
  /** Of the first record, UTC, RFC 3339 with microseconds. */
  readonly time: string;
  readonly outcome: RecordedOutcome;
  /** Of the record that holds the outcome; null while the request is open. */
  readonly outcomeAt: string | null;
  /** False when only an outcome is there: an older file is not, or a stop went on before its intent was kept. */
  readonly intentRecorded: boolean;
}

/** Outcomes of requests that a gateway refuses, or logins, of which there is one record and no intent. */
const WITHOUT_INTENT: ReadonlySet<AuditStage> = new Set([
  "denied",
  "invalid",
  "not-sent",
  "login-refused",
  "login-throttled",
]);

/** The outcome is settled: no later record is expected. */
export function isSettled({ outcome }: RecordedRequest): boolean {
  return outcome !== "open" && outcome !== "unknown";
}

/** Joins the records of a trail to requests, in the order of the first record of each. */
export class AuditHistory {
  readonly #requests = new Map<string, RecordedRequest>();

  /** Takes the next record of the trail, and returns what is known of its request now. */
  add(record: AuditRecord): RecordedRequest {
    const request = joined(this.#requests.get(record.id), record);
    this.#requests.set(record.id, request);
    return request;
  }

  /** Forgets a request; a further record of it begins a new one. */
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

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
  /** Time of the record that says that its gateway ended before the outcome was recorded; only while the request is open. */
  readonly cutOffAt?: string;
  /** False if only an outcome is recorded: an older file is missing, or a stop did not wait for its intent. */
  readonly intentRecorded: boolean;
}

/** Outcomes of logins, of requests that the gateway refuses, and of what it finds cut off or lapsed: one record each, without an intent. */
const WITHOUT_INTENT: ReadonlySet<AuditStage> = new Set([
  "denied",
  "invalid",
  "not-sent",
  "login-refused",
  "login-throttled",
  "cut-off",
  "lapsed",
]);

/** The outcome is final: no later record is expected. */
export function isSettled({ outcome }: RecordedRequest): boolean {
  return outcome !== "open" && outcome !== "unknown";
}

/** Groups the records of a trail by request, in the order of their first records. */
export class AuditHistory {
  /** By id and trail. */
  readonly #requests = new Map<string, RecordedRequest>();
  /** Times at which intents were found cut off, by their ids; the record that says so may be read before the intent. */
  readonly #cutOff = new Map<string, string>();

  /**
   * Adds the next record of a trail, and returns the state of its request. No gateway's records change a request of another, but that it was
   * found cut off.
   */
  add(record: AuditRecord, trail = ""): RecordedRequest {
    for (const id of record.ids ?? []) this.#cutOff.set(id, record.time);
    const key = requestKey(record.id, trail);
    const request = marked(joined(this.#requests.get(key), record), this.#cutOff.get(record.id));
    this.#requests.set(key, request);
    return request;
  }

  /** Drops a request; a further record of it begins a new one. */
  forget(id: string, trail = ""): void {
    this.#requests.delete(requestKey(id, trail));
  }

  requests(): RecordedRequest[] {
    return [...this.#requests.values()].map((request) => marked(request, this.#cutOff.get(request.id)));
  }
}

/** Names a request among those of all trails. */
export function requestKey(id: string, trail: string): string {
  return `${id}\0${trail}`;
}

function marked({ cutOffAt: _before, ...request }: RecordedRequest, cutOffAt: string | undefined): RecordedRequest {
  return request.outcome === "open" && cutOffAt !== undefined ? { ...request, cutOffAt } : request;
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

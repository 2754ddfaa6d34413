import { type OperationName, operationRecord, operations } from "../operations/table.ts";
import { nodeKey, PATH_FIELD } from "../operations/target.ts";
import { type AuditRecord, secondPersonOf } from "./record.ts";

/** Requests for approval of one user that may wait. */
export const MAX_REQUESTS_PER_USER = 100;

/** What records have of a request. */
type Recorded = Pick<AuditRecord, "user" | "operation" | "target" | "parameters" | "requestId" | "annotations">;

/**
 * A text that is the same for changes that a second person may send for one another: operation and input without the reason, regardless of the
 * order of fields, and of a path's segments.
 */
export function changeKey(operation: OperationName, input: object): string {
  const { reason: _, ...acts } = input as { readonly reason?: unknown };
  const path = Reflect.get(acts, PATH_FIELD);
  const node = typeof path === "string" ? { [PATH_FIELD]: nodeKey(path) } : {};
  return JSON.stringify([operation, sorted({ ...acts, ...node })]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]));
}

/** Whether a change no longer waits for a second person after a later request that was not refused, or waits as well. */
export function endsWaiting(waiting: Recorded, later: Recorded): boolean {
  return isApproval(later, waiting) || isRepetition(later, waiting) || isStopOf(later, waiting);
}

/** Whether it sent the change; whoever asks may have chosen the request id of somebody else. */
export function isApproval(later: Recorded, { requestId, user, operation }: Recorded): boolean {
  const approved = secondPersonOf(later);
  return approved.requestId === requestId && approved.requestedBy === user && later.operation === operation;
}

/** A user has one request for a change: the latest. */
function isRepetition(later: Recorded, waiting: Recorded): boolean {
  const waitsAsWell = secondPersonOf(later).awaitedUntil !== undefined;
  return waitsAsWell && later.user === waiting.user && keyOf(later) === keyOf(waiting);
}

function keyOf({ operation, parameters }: Recorded): string | undefined {
  return operation === null ? undefined : changeKey(operation, parameters);
}

/** Whether it stops what the change would take back (decision D-SHARE 7). */
function isStopOf(later: Recorded, { operation, target }: Recorded): boolean {
  const { undoes } = operation === null ? {} : operationRecord(operations, operation);
  return undoes !== undefined && undoes === later.operation && nodeKey(later.target ?? "") === nodeKey(target ?? "");
}

/** Where a request waits: what is in the memory of a gateway ends with it. */
export function waitsIn(request: Pick<Recorded, "annotations">): "memory" | "store" {
  return secondPersonOf(request).awaitedIn === "store" ? "store" : "memory";
}

import { givenReason } from "../conventions.ts";
import { timeOf } from "../stops/words.ts";
import type { ApprovedRequest } from "./record.ts";

// What people read of a change that waits for a second person, on pages and on the command line. Times are UTC.

const NEEDED = "needs a second person";

/** In the words for a change that waits. */
export const WAITS_FOR_SECOND = "waits for a second person";

/** A user's request for a change that waits. Times are epoch milliseconds. */
export interface WaitingRequest {
  readonly by: string | null;
  readonly reason: string | null;
  readonly at: number;
  readonly until: number;
  /** Whether whoever reads this has requested it. */
  readonly isOwn: boolean;
}

/** The message of the refusal of a first request; `asked` says by whom, `next` what must be done, `until` is RFC 3339. */
export function refusalWords(change: string, asked: string, next: string, until: string): string {
  return `${change} ${NEEDED}: requested by ${asked}; ${next} by ${until}`;
}

/** Until when a change waits, by the message of its refusal; undefined for one that was refused for another reason. */
export function awaitedUntil(refusal: string): number | undefined {
  const [, until = ""] = refusal.includes(NEEDED) ? (/ by (\d{4}-\S+Z)$/.exec(refusal) ?? []) : [];
  const at = Date.parse(until);
  return Number.isNaN(at) ? undefined : at;
}

/** Ends what such a message says first to whoever came too late. */
export const YOURS_IS_FIRST = "yours is now the first";

/** `the request of 09:31:07 UTC by "alice" has expired; yours is now the first`, where such a message says so first. */
export function endedBefore(refusal: string): string | undefined {
  const [said = ""] = refusal.split(NEEDED);
  const end = said.indexOf(`${YOURS_IS_FIRST}. `);
  return end === -1 ? undefined : said.slice(0, end + YOURS_IS_FIRST.length);
}

/** `waits for a second person until 09:36:07 UTC`. */
export function waitsWords(until: number, now: number): string {
  return `${WAITS_FOR_SECOND} until ${timeOf(until, now)} UTC`;
}

/** `alice's request of 09:31:07 UTC (venue is back)`. */
export function requestWords({ by, at, reason }: Pick<WaitingRequest, "by" | "at" | "reason">, now: number): string {
  const given = givenReason(reason);
  return `${by ?? "somebody"}'s request of ${timeOf(at, now)} UTC${given === null ? "" : ` (${given})`}`;
}

/** The same of the request that a change has approved. */
export function approvalWords({ requestedBy, requestedAt, requestReason }: ApprovedRequest): string {
  return requestWords({ by: requestedBy, at: Date.parse(requestedAt), reason: requestReason ?? null }, Date.now());
}

/** Before a change is sent again: whether this is the second confirmation. */
export function confirmationWords(request: WaitingRequest, now: number): string {
  const whose = request.isOwn ? { ...request, by: "you" } : request;
  const waits = `${requestWords(whose, now).replace(/^you's/, "your")} ${waitsWords(request.until, now)}`;
  return request.isOwn ? `${waits}; sending it again only asks once more` : `second confirmation: ${waits}`;
}

/** The same where nobody knows which requests wait. */
export const CONFIRMATION_UNKNOWN =
  "requests that wait for a second person could not be read: if another user has requested this, it is sent immediately";

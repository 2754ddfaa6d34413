import type { RecordedRequest } from "../../audit/history.ts";
import { secondPersonOf } from "../../core/records/record.ts";
import { requestWords, waitsWords } from "../../core/records/second-person.ts";
import { endsWaiting, isApproval } from "../../core/records/waiting.ts";
import { isObject } from "../../core/values/basics.ts";
import type { Invocation } from "../framework/definition.ts";
import { secondPersonLine } from "../operations/advice.ts";

/** The requests among all of a trail that wait for a second person at `now` (epoch milliseconds), by what the records say. */
export function waitingRequests(all: readonly RecordedRequest[], now: number): RecordedRequest[] {
  const counting = all.filter((request) => isFirstOfTwo(request) || !isRefused(request));
  const lapsed = new Set(all.flatMap(({ outcome, ids = [] }) => (outcome === "lapsed" ? ids : [])));
  return all.filter((request) => {
    const { awaitedUntil } = secondPersonOf(request);
    if (awaitedUntil === undefined || Date.parse(awaitedUntil) <= now || lapsed.has(request.id)) return false;
    // Gateways may have clocks that differ, but only what was asked for is approved.
    return !counting.some(
      (other) => isApproval(other, request) || (other.time > request.time && endsWaiting(request, other)),
    );
  });
}

/** Whether it is the first request for a change that needs two people. */
export function isFirstOfTwo(request: RecordedRequest): boolean {
  return secondPersonOf(request).awaitedUntil !== undefined;
}

function isRefused({ outcome }: RecordedRequest): boolean {
  return outcome === "denied" || outcome === "invalid";
}

/** In the JSON of a record: what stands for a value that was cut, and for a character that cannot be seen. */
const NOT_AS_GIVEN = /"sha256":|\\\\u[\da-f]{4}/;

/** What the second person types: a record of which a part is not as it was given would name something else. */
function lineFor({ operation, parameters }: RecordedRequest, table: Invocation["table"]): string {
  const { reason: _, ...acts } = isObject(parameters) ? parameters : {};
  const isWhole = isObject(parameters) && !NOT_AS_GIVEN.test(JSON.stringify(acts));
  return (operation && isWhole && secondPersonLine(table, operation, acts)) || "the same command";
}

/** `alice's request of 13:31:05 UTC (feed is back) waits for a second person until 13:36:05 UTC: trading-admin resume`. */
export function waitingWords(request: RecordedRequest, table: Invocation["table"], now: number): string {
  const { user: by, reason, time } = request;
  const { awaitedUntil = "" } = secondPersonOf(request);
  const waits = waitsWords(Date.parse(awaitedUntil), now);
  return `${requestWords({ by, at: Date.parse(time), reason }, now)} ${waits}: ${lineFor(request, table)}`;
}

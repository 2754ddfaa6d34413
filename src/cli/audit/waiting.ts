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
  return all.filter((request) => {
    const { awaitedUntil } = secondPersonOf(request);
    if (awaitedUntil === undefined || Date.parse(awaitedUntil) <= now) return false;
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

/** `alice's request of 13:31:05 UTC (feed is back) waits for a second person until 13:36:05 UTC: trading-admin resume`. */
export function waitingWords(request: RecordedRequest, table: Invocation["table"], now: number): string {
  const { user: by, operation, parameters, reason, time } = request;
  const { awaitedUntil = "" } = secondPersonOf(request);
  const line =
    operation && isObject(parameters) && !("sha256" in parameters) && secondPersonLine(table, operation, parameters);
  const waits = waitsWords(Date.parse(awaitedUntil), now);
  return `${requestWords({ by, at: Date.parse(time), reason }, now)} ${waits}: ${line || "the same command"}`;
}

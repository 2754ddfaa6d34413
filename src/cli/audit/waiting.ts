import type { RecordedRequest } from "../../audit/history.ts";
import { givenReason } from "../../core/conventions.ts";
import { operations } from "../../core/operations/table.ts";
import { nodeKey } from "../../core/operations/target.ts";
import { secondPersonOf } from "../../core/records/record.ts";
import { stopKinds } from "../../core/stops/stoppable.ts";
import { isObject } from "../../core/values/basics.ts";
import type { Invocation } from "../framework/definition.ts";
import { secondPersonLine } from "../operations/advice.ts";

/** The requests among all of a trail that wait for a second person at `now` (epoch milliseconds), by what the records say. */
export function waitingRequests(all: readonly RecordedRequest[], now: number): RecordedRequest[] {
  return all.filter((request) => {
    const { awaitedUntil } = secondPersonOf(request);
    if (awaitedUntil === undefined || Date.parse(awaitedUntil) <= now) return false;
    const isOver = (other: RecordedRequest): boolean =>
      other.time > request.time && (isRepetition(other, request) || voids(other, request));
    return !all.some((other) => isApproval(other, request) || isOver(other));
  });
}

/** Whoever asks may have chosen the request id of somebody else. */
function isApproval(other: RecordedRequest, { requestId, user, operation }: RecordedRequest): boolean {
  const approved = secondPersonOf(other);
  return approved.requestId === requestId && approved.requestedBy === user && other.operation === operation;
}

/** A user has one request for a change: the latest. */
function isRepetition(other: RecordedRequest, request: RecordedRequest): boolean {
  return (
    other.user === request.user && actOf(other) === actOf(request) && secondPersonOf(other).awaitedUntil !== undefined
  );
}

function actOf({ operation, target, parameters }: RecordedRequest): string {
  const { reason: _, projectionPath: __, ...acts } = isObject(parameters) ? parameters : {};
  return JSON.stringify([operation, nodeKey(target ?? ""), acts]);
}

const STOPS = stopKinds(operations);

/** Whether a stop is what a request would take back (decision D-SHARE 7). */
function voids(other: RecordedRequest, request: RecordedRequest): boolean {
  const isStop = STOPS.some(({ stop, undo }) => stop === other.operation && undo === request.operation);
  const isRefused = other.outcome === "denied" || other.outcome === "invalid";
  return isStop && !isRefused && nodeKey(other.target ?? "") === nodeKey(request.target ?? "");
}

/** `alice's request (feed is back), until 13:36:05 UTC: trading-admin resume`. */
export function waitingWords(request: RecordedRequest, table: Invocation["table"]): string {
  const { user, operation, parameters, reason } = request;
  const { awaitedUntil = "" } = secondPersonOf(request);
  const given = givenReason(reason);
  const line =
    operation && isObject(parameters) && !("sha256" in parameters) && secondPersonLine(table, operation, parameters);
  const because = given === null ? "" : ` (${given})`;
  return `${user}'s request${because}, until ${awaitedUntil.slice(11, 19)} UTC: ${line || "the same command"}`;
}

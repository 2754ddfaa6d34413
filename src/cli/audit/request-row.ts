import type { RecordedRequest } from "../../audit/history.ts";
import { type Column, type Row, textColumns } from "../output/columns.ts";
import { OUTCOMES } from "./filter.ts";

/** What of a request a table shows, the most important first. */
export const REQUEST_COLUMNS: readonly Column[] = [
  ...textColumns("time", "outcome", "user", "operation", "target", "reason", "message", "requestId", "address"),
  { name: "status", kind: "integer" },
  { name: "durationMs", kind: "decimal" },
  ...textColumns("gateway"),
];

const OUTCOME_WIDTH = "rejected late".length;

/** A request as a row: milliseconds are enough for the eye, the rest is in JSON. */
export function requestRow(request: RecordedRequest): Row {
  const { time, outcome, intentRecorded, operation, operations, count, target, durationMs } = request;
  const many = Object.entries(operations ?? {}).map(([name, times]) => `${name} x${times}`);
  const isSystemWide = target === "" && operation !== null;
  return {
    ...request,
    time: time.replace(/(\.\d{3})\d*Z$/, "$1Z"),
    outcome: intentRecorded ? outcome : `${outcome} (no intent)`,
    operation: operation ?? (many.length > 0 ? many.join(", ") : count === undefined ? null : `login x${count}`),
    target: isSystemWide ? "(root)" : target,
    durationMs: durationMs === undefined ? null : durationMs.toFixed(1),
  };
}

/** A request on one line: `2026-01-05T09:31:00.123Z applied alice haltTrading (root) "drill"`. */
export function requestLine(request: RecordedRequest): string {
  const { time, outcome, user, operation, target, reason, message, requestId } = requestRow(request);
  const said = [reason, message].flatMap((text) => (typeof text === "string" ? [JSON.stringify(text)] : []));
  const parts = [time, String(outcome).padEnd(OUTCOME_WIDTH), user ?? "-", operation ?? "-", target ?? "-", ...said];
  return [...parts, `(${requestId})`].join(" ");
}

/** What of the requests is not settled, and what to do about it; undefined when all are. */
export function unsettledSummary(requests: readonly RecordedRequest[]): string | undefined {
  const open = requests.filter(({ outcome }) => outcome === "open").length;
  const unknown = requests.filter(({ outcome }) => outcome === "unknown").length;
  if (open + unknown === 0) return undefined;
  const parts = [
    ...(open > 0 ? [`${open} open (${OUTCOMES.open})`] : []),
    ...(unknown > 0 ? [`${unknown} unknown (${OUTCOMES.unknown})`] : []),
  ];
  return `of these ${requests.length}: ${parts.join(", ")}; read the state before anything is repeated`;
}

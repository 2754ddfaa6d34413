import type { Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import type { CallReport } from "../../core/calls/call.ts";
import { DEFAULT_CAPACITIES } from "../../core/engine/engine-link.ts";
import { ADMIN_ERRORS, type AdminErrorCode, type Outcome, UNREAD_CODES } from "../../core/errors.ts";
import { extensions } from "../../core/operations/extensions.ts";
import type { Lane } from "../../core/operations/operation.ts";
import {
  type CallName,
  callRecords,
  type OperationName,
  operationRecord,
  operations,
} from "../../core/operations/table.ts";
import { durationsBy, total } from "./metrics.ts";

/** The three lanes, as label values. */
export const LANES = Object.keys(DEFAULT_CAPACITIES) as readonly Lane[];

export function laneOf(name: OperationName): Lane {
  return operationRecord(operations, name).lane;
}

/** How calls end; a number that a call can find without making a text. */
interface Ending {
  readonly status: number;
  readonly outcome: Outcome;
  count: number;
}

/** Errors that end a request before it is a call of an operation. */
const BEFORE_A_CALL: ReadonlySet<AdminErrorCode> = new Set([
  "UNAUTHENTICATED",
  "API_CLOSED",
  "TOO_MANY_LOGINS",
  "UNKNOWN_PATH",
  "METHOD_NOT_ALLOWED",
  ...UNREAD_CODES,
]);

/** Every ending that a call can have, the usual one first; each once, although several errors may share it. */
function endings(): Ending[] {
  const errors = Object.entries(ADMIN_ERRORS).filter(([code]) => !BEFORE_A_CALL.has(code as AdminErrorCode));
  const all = [{ status: 200, outcome: "applied" as const }, ...errors.map(([, error]) => error)];
  const different = new Map(all.map(({ status, outcome }) => [`${status} ${outcome}`, { status, outcome, count: 0 }]));
  return [...different.values()];
}

/**
 * Counts calls by operation and ending, and times them by lane. All series are there from the start, at 0, so that an alert
 * on their increase sees the first event.
 */
export function measureCalls(registry: Registry, api: AdminApi): void {
  const records = callRecords({ operations, extensions });
  const byOperation = new Map<CallName, Ending[]>([...records.keys()].map((name) => [name, endings()]));
  total(registry, {
    name: "trading_admin_calls_total",
    help: "Calls of operations that have ended. Outcome: that of a mutation, as in audit records.",
    labelNames: ["operation", "lane", "status", "outcome"],
    read: () =>
      [...byOperation].flatMap(([operation, cells]) => {
        const lane = records.get(operation)?.lane ?? "read";
        return cells.map(({ status, outcome, count }) => [{ operation, lane, status, outcome }, count] as const);
      }),
  });
  const ended = durationsBy(registry, {
    name: "trading_admin_call_duration_seconds",
    help: "Time from the beginning of a call to its response: body, checks, audit records and engine.",
    label: "lane",
    values: LANES,
  });
  api.on("call", (report) => {
    count(byOperation.get(report.operation) ?? [], report);
    ended(report.lane, report.durationMs);
  });
}

function count(cells: Ending[], { status, outcome }: CallReport): void {
  for (const cell of cells) {
    if (cell.status === status && cell.outcome === outcome) {
      cell.count += 1;
      return;
    }
  }
  cells.push({ status, outcome, count: 1 });
}

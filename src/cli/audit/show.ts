import type { RecordedRequest } from "../../audit/history.ts";
import { givenReason } from "../../core/conventions.ts";
import { changeWords } from "../../core/records/change-words.ts";
import { secondPersonOf } from "../../core/records/record.ts";
import { UsageError } from "../exit-codes.ts";
import { type Invocation, type Options, type Run, typedCommands } from "../framework/definition.ts";
import { type Column, keptColumns, type Row, SHORT, textColumns, UNCUT } from "../output/columns.ts";
import { type Format, formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import { auditFilter, OUTCOMES, operationsByWords, SYSTEM_WIDE } from "./filter.ts";
import { lastRequests, type Matches, type Selection, selectFromStream, selectRequests } from "./select.ts";
import { filesToRead, withStream } from "./stream-source.ts";
import { isFirstOfTwo, waitingRequests, waitingWords } from "./waiting.ts";

/** `audit show`: the requests of audit files or of a stream, each with what happened to it. */
export const showRequests: Run = async ({ arguments: { file = [] }, options, table }) => {
  const now = Date.now();
  const matches = auditFilter(options, now, operationsByWords(table));
  const isRead = options.waiting === true ? () => true : matches;
  const files = await filesToRead([file].flat(), options);
  const selection = files ? await selectRequests(files, isRead) : await selectedInStream(options, isRead);
  if (options.waiting !== true) return printHistory(selection, formatOf(options), table);
  const requests = waitingRequests(selection.requests, now).filter(matches);
  await printSelection({ ...selection, requests }, formatOf(options), table);
  if (requests.length > 0) printInfo("what another user types:");
  for (const request of requests) printInfo(waitingWords(request, table, now));
};

/** Prints requests, whether or not they wait now. */
async function printHistory(selection: Selection, format: Format, commands: Invocation["table"]): Promise<void> {
  await printSelection(selection, format, commands);
  const summary = firstOfTwoSummary(selection.requests);
  if (summary !== undefined) printInfo(summary);
}

/** Prints requests, and what the reader should know about them. */
async function printSelection(
  { requests, warnings }: Selection,
  format: Format,
  commands: Invocation["table"],
): Promise<void> {
  for (const warning of warnings) warn(warning);
  const rows = requests.map(requestRow);
  const shown = format === "table" ? rowsForPeople(rows, commands, new Date()) : rows;
  await printRows(
    { value: requests, rows: shown, columns: format === "csv" ? REQUEST_COLUMNS : columnsOf(shown) },
    format,
  );
  const unsettled = unsettledSummary(requests);
  if (unsettled !== undefined) printInfo(unsettled);
}

/** `audit tail`: the last requests of a trail. */
export const showLastRequests: Run = async ({ arguments: { file = [] }, options, table }) => {
  const count = lineCountOf(options);
  const matches = auditFilter(options, Date.now(), operationsByWords(table));
  const [path] = (await filesToRead([file].flat(), options)) ?? [];
  const selection =
    path === undefined ? await selectedInStream(options, matches) : await lastRequests(path, count, matches);
  const requests = count === 0 ? [] : selection.requests.slice(-count);
  await printHistory({ ...selection, requests }, formatOf(options), table);
};

function selectedInStream(options: Options, matches: Matches): Promise<Selection> {
  return withStream(options, (stream) => selectFromStream(stream.lines(), matches));
}

/** How many requests are shown, of the option `--lines`. */
export function lineCountOf({ lines = "10" }: Options): number {
  if (typeof lines === "string" && /^\d{1,6}$/.test(lines)) return Number(lines);
  throw new UsageError(`--lines: must be a whole number from 0 to 999999, is ${JSON.stringify(lines)}`);
}

/** Columns that are left out of a table for people where they are empty: changes of limits have no reason, and other commands only that. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["reason", "change", "requestedBy"]);

function columnsOf(rows: readonly Row[]): Column[] {
  const isEmpty = (name: string): boolean => rows.every((row) => (row[name] ?? null) === null);
  return REQUEST_COLUMNS.filter(({ name }) => !(MAY_BE_EMPTY.has(name) && isEmpty(name)));
}

/** Columns: who did what to what and why, whatever the width; further fields by importance. */
const REQUEST_COLUMNS: readonly Column[] = [
  ...keptColumns(UNCUT, "time"),
  ...keptColumns(SHORT, "user"),
  ...keptColumns("positions adjust".length, "operation"),
  ...keptColumns(SHORT, "target", "outcome", "reason"),
  ...textColumns("change", "requestedBy", "message", "requestId", "address"),
  { name: "status", kind: "integer" },
  { name: "durationMs", kind: "decimal" },
  ...textColumns("gateway", "engineTime"),
];

const OUTCOME_WIDTH = "rejected late".length;

/** A request as a row: milliseconds are enough for the eye, the rest is in JSON. */
function requestRow(request: RecordedRequest): Row {
  const { time, operation, operations, target, durationMs } = request;
  const many = Object.entries(operations ?? {}).map(([name, times]) => `${name} x${times}`);
  const isSystemWide = target === "" && operation !== null;
  return {
    ...request,
    time: time.replace(/(\.\d{3})\d*Z$/, "$1Z"),
    outcome: outcomeText(request),
    operation: operation ?? (many.length > 0 ? many.join(", ") : counted(request)),
    target: isSystemWide ? SYSTEM_WIDE : target,
    durationMs: durationMs === undefined ? null : durationMs.toFixed(1),
    change: changeWords(request).join("; ") || undefined,
    requestedBy: secondPersonOf(request).requestedBy,
  };
}

/** Of what the first of two people requests, the record says denied, as nothing was sent. */
const FIRST_OF_TWO = "first of two";

function outcomeText(request: RecordedRequest): string {
  const { outcome, cutOffAt, intentRecorded } = request;
  if (isFirstOfTwo(request)) return FIRST_OF_TWO;
  if (cutOffAt !== undefined) return `${outcome} (cut off)`;
  return intentRecorded ? outcome : `${outcome} (no intent)`;
}

/** Subject of the count of a record without an operation. */
function counted({ count, event }: RecordedRequest): string | null {
  if (count === undefined) return null;
  return `${event === undefined ? "login" : "command"} x${count}`;
}

/** Short for a terminal: times of today without the date, and operations as the commands that are typed for them. */
function rowsForPeople(rows: readonly Row[], commands: Invocation["table"], now: Date): Row[] {
  const today = `${now.toISOString().slice(0, 10)}T`;
  const isToday = rows.every(({ time }) => String(time).startsWith(today));
  const words = new Map(typedCommands(commands));
  return rows.map((row) => {
    const seconds = String(row.time).slice(0, "2026-01-05T09:31:00".length).replace("T", " ");
    const time = isToday ? seconds.slice(today.length) : seconds;
    return {
      ...row,
      reason: givenReason(row.reason as string | null),
      time,
      operation: words.get(String(row.operation)) ?? row.operation,
    };
  });
}

/** A request on one line: `2026-01-05T09:31:00.123Z applied alice haltTrading (root) "drill"`. */
export function requestLine(request: RecordedRequest): string {
  const { time, outcome, user, operation, target, reason, message, requestId } = requestRow(request);
  const said = [reason, message].flatMap((text) => (typeof text === "string" ? [JSON.stringify(text)] : []));
  const parts = [time, String(outcome).padEnd(OUTCOME_WIDTH), user ?? "-", operation ?? "-", target ?? "-", ...said];
  return [...parts, `(${requestId})`].join(" ");
}

/** Whether a second person sent the same is in a later request. */
function firstOfTwoSummary(requests: readonly RecordedRequest[]): string | undefined {
  const count = requests.filter(isFirstOfTwo).length;
  if (count === 0) return undefined;
  return `of these ${requests.length}: ${count} ${FIRST_OF_TWO}, sent only once a second person requests the same; --waiting lists what waits now`;
}

/** Advice about unsettled requests; undefined when all are settled. */
function unsettledSummary(requests: readonly RecordedRequest[]): string | undefined {
  const cutOff = requests.filter(({ cutOffAt }) => cutOffAt !== undefined).length;
  const open = requests.filter(({ outcome }) => outcome === "open").length - cutOff;
  const unknown = requests.filter(({ outcome }) => outcome === "unknown").length;
  if (cutOff + open + unknown === 0) return undefined;
  const parts = [
    ...(cutOff > 0 ? [`${cutOff} open (cut off: the gateway ended before an outcome was recorded)`] : []),
    ...(open > 0 ? [`${open} open (in progress, or no gateway has found them cut off yet)`] : []),
    ...(unknown > 0 ? [`${unknown} unknown (${OUTCOMES.unknown})`] : []),
  ];
  return `of these ${requests.length}: ${parts.join(", ")}; read the state before anything is repeated`;
}

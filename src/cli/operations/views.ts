import { OUTPUT_KINDS } from "../../client/output-kinds.ts";
import type { OperationName, Output } from "../../core/operations/table.ts";
import { approvalWords } from "../../core/records/second-person.ts";
import { haveCommonUnit, positionTotal } from "../../core/values/decimal-text.ts";
import { positionField } from "../../core/values/projection.ts";
import { type Column, type Row, textColumns } from "../output/columns.ts";
import type { Format } from "../output/format.ts";
import { type Printed, printRecord, printRows } from "../output/print.ts";
import { write } from "../terminal/output.ts";
import type { CommandResult } from "./describe-command.ts";
import type { OperationInput } from "./input.ts";
import { stateFields } from "./state.ts";

export async function printRead(
  operation: OperationName,
  value: unknown,
  format: Format,
  input: OperationInput = {},
): Promise<void> {
  const list = printedList(operation, value, input);
  if (list) return printRows(list, format);
  const record = format === "csv" ? (value as Row) : stateFields(value);
  await printRecord({ value, record, kinds: OUTPUT_KINDS[operation] }, format);
}

/** Prints what happened to a command on standard output: one object, or for people its times and the state at the end. */
export async function printFields(result: CommandResult, format: Format): Promise<void> {
  const { operation, state } = result;
  if (format === "csv") return printRecord({ value: result, record: flat(result) }, format);
  const list = state === null ? undefined : printedList(operation, state);
  const record = { ...timesOf(result), ...(list ? {} : stateFields(state)) };
  await printRecord({ value: result, record, kinds: OUTPUT_KINDS[operation] }, format);
  if (!list || format === "json" || format === "yaml") return;
  write("\n");
  await printRows(list, format);
}

function timesOf({ outcome, message, approves, askedAt, acceptedAt, seenAt, requestId }: CommandResult): Row {
  const head = {
    ...(outcome === "done" ? { done: message } : { outcome }),
    ...(approves && { approves: approvalWords(approves) }),
  };
  return { ...head, requested: askedAt, accepted: acceptedAt, confirmed: seenAt, "request id": requestId };
}

export function flat({ input, state, openOrders, approves, ...others }: CommandResult): Row {
  const more = {
    ...(openOrders && { openOrders: JSON.stringify(openOrders) }),
    ...(approves && { approves: JSON.stringify(approves) }),
  };
  return { ...others, input: JSON.stringify(input), state: JSON.stringify(state), ...more };
}

/** Fields that matter most, in the order of their importance; others follow in the order of the operation table. */
const FIRST: Partial<Record<OperationName, readonly string[]>> = {
  // The path says once more what the keys say, and is the longest.
  listPositions: [...positionKeys(), "size", "unrealizedPnL", "realizedPnL", "marketValue", "averageCost"],
  listServices: ["name", "enabled", "status", "type"],
};

/** Fields that are summed up below positions that have a common unit. An average cost has no sum. */
const SUMMED: ReadonlySet<string> = new Set([
  "size",
  "marketValue",
  "unrealizedPnL",
  "realizedPnL",
  "totalCommission",
  "openBuySize",
  "openSellSize",
]);

/** A list as it is printed; undefined for one object. */
function printedList(operation: OperationName, value: unknown, input: OperationInput = {}): Printed | undefined {
  if (operation === "getRiskTable" || operation === "updateRiskTable") return riskRows(value as Output<"getRiskTable">);
  if (!Array.isArray(value)) return undefined;
  const rows = value as readonly Row[];
  const columns = columnsFor(operation, rows, input);
  if (operation !== "listPositions") return { value, rows, columns };
  return { value, rows: byPath(rows), columns: withTotals(columns, rows) };
}

/** Positions of an account together, as in the console: engines list them as they came. */
function byPath(rows: readonly Row[]): Row[] {
  const pathOf = ({ projection }: Row): string => String(projection).toLowerCase();
  return rows.toSorted((left, right) => (pathOf(left) < pathOf(right) ? -1 : 1));
}

function columnsFor(operation: OperationName, rows: readonly Row[], { projection }: OperationInput): Column[] {
  const output = OUTPUT_KINDS[operation];
  const present = new Set(rows.flatMap((row) => Object.keys(row)));
  const keys = typeof projection === "string" ? projection.split("/").map(positionField) : [];
  // Without rows nothing but the projection says which keys positions would have.
  const isPossible = (name: string): boolean => !positionKeys().includes(name) || keys.includes(name);
  const isShown = rows.length === 0 ? isPossible : (name: string) => present.has(name);
  const names = new Set([...(FIRST[operation] ?? []), ...Object.keys(output), ...present]);
  return [...names].filter(isShown).map((name) => ({ name, kind: output[name] ?? "text" }));
}

function withTotals(columns: readonly Column[], rows: readonly Row[]): Column[] {
  if (!haveCommonUnit(rows)) return [...columns];
  return columns.map((column) =>
    SUMMED.has(column.name) ? { ...column, total: positionTotal(rows, column.name) ?? "-" } : column,
  );
}

/** A column for each projection key, and one for each limit; `unlimited` where the limit is null. */
function riskRows(table: Output<"getRiskTable">): Printed {
  const keys = new Set(table.rows.flatMap(({ conditions }) => Object.keys(conditions)));
  const limits = new Set(table.rows.flatMap((row) => Object.keys(row.limits)));
  const ofLimits = [...limits].map((name): Column => ({ name, kind: "decimal" }));
  const columns = [...textColumns(...keys), ...ofLimits];
  const rows = table.rows.map((row) => ({ ...row.conditions, ...unlimited(row.limits) }));
  return { value: table, rows, columns };
}

function unlimited(limits: Readonly<Record<string, string | null>>): Row {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit ?? "unlimited"]));
}

/** Fields of a position that name its node: the texts, except its path. */
function positionKeys(): string[] {
  const texts = Object.entries(OUTPUT_KINDS.listPositions).filter(([, kind]) => kind === "text");
  return texts.map(([name]) => name).filter((name) => name !== "projection");
}

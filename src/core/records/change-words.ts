import { type Conditions, isConditions, rowKey, rowName, UNLIMITED } from "../operations/row-names.ts";
import { isObject } from "../values/basics.ts";
import type { AuditRecord } from "./record.ts";

/** What a record has of a change. */
type RecordedChange = Pick<AuditRecord, "operation" | "parameters" | "before" | "after">;

/**
 * What a change of limits or of a position changes, in words: `Account=PENSION MaxOpenOrdersCount: 15 -> 10`, or `MaxOpenOrdersCount: 10`
 * where the values before it are not recorded: they are where a policy had them read, and those that a new row is without where its outcome
 * is. Empty for any other request, and where the record has no parameters of this kind.
 */
export function changeWords({ operation, parameters, before, after }: RecordedChange): string[] {
  const given: Fields = isObject(parameters) ? parameters : {};
  const values = rowsIn(before);
  if (operation === "adjustPosition") return positionWords(given, values[0]);
  const { commands } = given;
  if (operation !== "updateRiskTable" || !Array.isArray(commands)) return [];
  return commands.flatMap((command) => limitWords(command, values, rowsIn(after)));
}

function rowsIn(recorded: AuditRecord["before"]): Fields[] {
  return Array.isArray(recorded) ? recorded.filter(isObject) : [];
}

type Fields = Readonly<Record<string, unknown>>;

function positionWords({ size, relative }: Fields, before: Fields | undefined): string[] {
  if (typeof size !== "string") return [];
  const was = before && String(before.size ?? "not known");
  if (relative !== true) return [`size: ${become(was, size)}`];
  return [`size: ${was === undefined ? "" : `${was} `}by ${size}`];
}

function limitWords(command: unknown, rows: readonly Fields[], after: readonly Fields[]): string[] {
  if (!isObject(command) || !isConditions(command.conditions)) return [];
  const { conditions, limits, type } = command;
  const where = rowName(conditions);
  const was = limitsOf(conditions, rows);
  if (type === "DELETE") return [`${where}: row is deleted${was ? heldWords(was) : ""}`];
  const named = isObject(limits) ? limits : {};
  const from = (name: string): string | undefined => (was === undefined ? undefined : limitText(was?.[name]));
  const words = Object.entries(named).map(
    ([name, limit]) => `${where} ${name}: ${become(from(name), limitText(limit))}`,
  );
  const isNew = type === "INSERT" || was === null;
  const without = isNew ? Object.entries(limitsOf(conditions, after) ?? {}) : [];
  const lacking = without
    .filter(([name, limit]) => limit === null && !Object.hasOwn(named, name))
    .map(([name]) => name);
  return lacking.length === 0 ? words : [...words, `${where}: new row, without ${lacking.join(", ")}`];
}

/** What a value becomes, and from what, where that is known. */
function become(was: string | undefined, now: string): string {
  return was === undefined ? now : `${was} -> ${now}`;
}

/** The limits of a row; null where it was read that there is none, undefined where it was not read. */
function limitsOf(conditions: Conditions, rows: readonly Fields[]): Fields | null | undefined {
  const row = rows.find((one) => isConditions(one.conditions) && rowKey(one.conditions) === rowKey(conditions));
  return row && (isObject(row.limits) ? row.limits : null);
}

/** ` (MaxOrderSize 1000, MaxPositionLong 4000)`. */
function heldWords(limits: Fields): string {
  const held = Object.entries(limits).filter(([, limit]) => limit !== null);
  return held.length === 0 ? "" : ` (${held.map(([name, limit]) => `${name} ${limitText(limit)}`).join(", ")})`;
}

function limitText(limit: unknown): string {
  if (limit === undefined) return "not there";
  return limit === null ? UNLIMITED : String(limit);
}

import { type Conditions, rowKey, rowName, UNLIMITED } from "../operations/row-names.ts";
import { isObject } from "../values/basics.ts";
import type { AuditRecord } from "./record.ts";

/** What a record has of a change. */
type RecordedChange = Pick<AuditRecord, "operation" | "parameters" | "before">;

/**
 * What a change of limits or of a position changes, in words: `Account=PENSION MaxOpenOrdersCount: 15 -> 10`. The values before it are
 * there where a policy had them read. Empty for any other request, and where the record has no parameters of this kind.
 */
export function changeWords({ operation, parameters, before }: RecordedChange): string[] {
  const given: Fields = isObject(parameters) ? parameters : {};
  const values = Array.isArray(before) ? before.filter(isObject) : [];
  if (operation === "adjustPosition") return positionWords(given, values[0]);
  const { commands } = given;
  if (operation !== "updateRiskTable" || !Array.isArray(commands)) return [];
  return commands.flatMap((command) => limitWords(command, values));
}

type Fields = Readonly<Record<string, unknown>>;

function positionWords({ size, relative }: Fields, before: Fields | undefined): string[] {
  if (typeof size !== "string") return [];
  const from = before ? `${before.size ?? "not known"} ` : "";
  return [relative === true ? `size: ${from}by ${size}` : `size: ${from}-> ${size}`];
}

function limitWords(command: unknown, rows: readonly Fields[]): string[] {
  if (!isObject(command) || !isConditions(command.conditions)) return [];
  const { conditions, limits, type } = command;
  const where = rowName(conditions);
  if (type === "DELETE") return [`${where}: row is deleted`];
  const row = rows.find((one) => isConditions(one.conditions) && rowKey(one.conditions) === rowKey(conditions));
  const from = (name: string): string =>
    row ? `${limitText(isObject(row.limits) ? row.limits[name] : undefined)} ` : "";
  return Object.entries(isObject(limits) ? limits : {}).map(
    ([name, limit]) => `${where} ${name}: ${from(name)}-> ${limitText(limit)}`,
  );
}

function limitText(limit: unknown): string {
  if (limit === undefined) return "not there";
  return limit === null ? UNLIMITED : String(limit);
}

function isConditions(value: unknown): value is Conditions {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}

import type { EngineInput, Output } from "../../core/operations.ts";
import { EngineRejection } from "../engine.ts";

/** A row as the API tells it; every column is present. */
export type RiskRow = Output<"getRiskTable">["rows"][number];
/** One command of an update request. */
export type RiskCommand = EngineInput<"updateRiskTable">["commands"][number];

/** What a table is made of: its keys in the order of the projection, and its limit columns. */
export interface TableForm {
  readonly projection: string;
  readonly keys: readonly string[];
  readonly columns: readonly string[];
}

/** Rows by {@link rowKey}, in the order in which they were inserted. */
export type Rows = ReadonlyMap<string, RiskRow>;

/** Identity of a row: the values of its conditions in the order of the projection. */
export function rowKey(values: readonly (string | undefined)[]): string {
  return JSON.stringify(values);
}

/**
 * The rows after all commands, one after the other; `rows` itself stays as it is, so that a rejected update changes
 * nothing. Throws {@link EngineRejection} that names the command, its row and the reason (decision D-ENG 8).
 */
export function afterCommands(form: TableForm, rows: Rows, commands: readonly RiskCommand[]): Rows {
  const updated = new Map(rows);
  for (const [index, command] of commands.entries()) {
    applyCommand(form, updated, command, (reason) => {
      const row = form.keys.map((key) => `${key}[${command.conditions[key] ?? ""}]`).join("/") || "root row";
      throw new EngineRejection("rejected", `commands[${index}] (${command.type} ${row}): ${reason}`);
    });
  }
  return updated;
}

type Reject = (reason: string) => never;

function applyCommand(form: TableForm, rows: Map<string, RiskRow>, command: RiskCommand, reject: Reject): void {
  checkConditions(form, command, reject);
  const key = rowKey(form.keys.map((name) => command.conditions[name]));
  const row = rows.get(key);
  if (command.type === "DELETE") {
    if (!rows.delete(key)) reject("the row does not exist");
    return;
  }
  if (command.type === "INSERT" && row) reject("the row exists already");
  const limits = command.limits ?? {};
  for (const name of Object.keys(limits)) {
    if (!form.columns.includes(name)) reject(unknownLimit(form, name));
  }
  rows.set(key, {
    conditions: Object.fromEntries(form.keys.map((name) => [name, command.conditions[name] ?? ""])),
    limits: Object.fromEntries(form.columns.map((name) => [name, limitAfter(name, limits, row)])),
  });
}

function limitAfter(name: string, given: Record<string, string | null>, row: RiskRow | undefined): string | null {
  return Object.hasOwn(given, name) ? (given[name] ?? null) : (row?.limits[name] ?? null);
}

function checkConditions({ keys }: TableForm, { conditions }: RiskCommand, reject: Reject): void {
  const given = Object.keys(conditions);
  if (given.length !== keys.length || given.some((key) => !keys.includes(key))) {
    reject(`conditions must be given for exactly these keys: ${keys.join(", ") || "none"}`);
  }
}

function unknownLimit({ projection, columns }: TableForm, name: string): string {
  return `risk table "${projection}" has no limit ${JSON.stringify(name)}; it has ${columns.join(", ")}`;
}

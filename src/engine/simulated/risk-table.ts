import type { EngineInput, Output } from "../../core/operations/table.ts";
import { EngineRejection } from "../engine.ts";
import type { Installation } from "./installation-schema.ts";
import type { Attributes } from "./node.ts";

const WILDCARD = "*";

/** The risk table of one projection: its columns are fixed, its rows change. */
export class RiskTable {
  readonly form: TableForm;
  readonly #rows = new Map<string, RiskRow>();
  /** How many rows there are of each kind; `*` in place of each wildcard, `=` in place of each value. */
  readonly #rowsByPattern = new Map<string, number>();
  /** The kinds of row there are, most specific first. */
  #patterns: readonly string[] = [];

  constructor(projection: string, keys: readonly string[], table: Installation["risk"]["tables"][string]) {
    this.form = { projection, keys, columns: table.limits };
    this.update(table.rows.map((row) => ({ type: "INSERT" as const, ...row })));
  }

  read(): Output<"getRiskTable"> {
    return { projection: this.form.projection, rows: [...this.#rows.values()] };
  }

  /** Applies all commands or, when one is rejected, none. */
  update(commands: readonly RiskCommand[]): void {
    for (const change of changesBy(this.form, this.#rows, commands)) this.#apply(change);
    this.#patterns = [...this.#rowsByPattern.keys()].sort((a, b) => wildcards(a) - wildcards(b) || (a < b ? 1 : -1));
  }

  #apply({ key, before, after }: RowChange): void {
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
    if (after) this.#rows.set(key, after);
    else this.#rows.delete(key);
  }

  #count({ conditions }: RiskRow, change: 1 | -1): void {
    const pattern = this.form.keys.map((key) => (conditions[key] === WILDCARD ? WILDCARD : "=")).join("");
    const count = (this.#rowsByPattern.get(pattern) ?? 0) + change;
    if (count === 0) this.#rowsByPattern.delete(pattern);
    else this.#rowsByPattern.set(pattern, count);
  }

  /**
   * The row that holds for an order: of the rows that match, the one with the fewest wildcards, and of those the one
   * that names a value for the earliest key. No row holds for an order that lacks a key of the projection.
   */
  rowFor(attributes: Attributes): RiskRow | undefined {
    if (this.form.keys.some((key) => attributes[key] === undefined)) return undefined;
    for (const pattern of this.#patterns) {
      const values = this.form.keys.map((key, index) => (pattern[index] === WILDCARD ? WILDCARD : attributes[key]));
      const row = this.#rows.get(rowIdentity(values));
      if (row) return row;
    }
    return undefined;
  }
}

function wildcards(pattern: string): number {
  return [...pattern].filter((sign) => sign === WILDCARD).length;
}

/** A row as the API shows it; every column is present. Readers share it, therefore it is frozen. */
export type RiskRow = Output<"getRiskTable">["rows"][number];
export type RiskCommand = EngineInput<"updateRiskTable">["commands"][number];

/** Keys of a table in the order of the projection, and its limit columns. */
interface TableForm {
  readonly projection: string;
  readonly keys: readonly string[];
  readonly columns: readonly string[];
}

/** Rows by {@link rowIdentity}, in the order in which they were inserted. */
type Rows = ReadonlyMap<string, RiskRow>;

/** Change of one row by one command; `undefined` stands for a row that does not exist. */
interface RowChange {
  readonly key: string;
  readonly before: RiskRow | undefined;
  readonly after: RiskRow | undefined;
}

/** Identity of a row: the values of its conditions in the order of the projection. */
function rowIdentity(values: readonly (string | undefined)[]): string {
  return JSON.stringify(values);
}

/**
 * What the commands change, one after the other; `rows` itself stays as it is, so that a rejected update changes
 * nothing. Throws {@link EngineRejection} that names the command, its row and the reason (decision D-ENG 8).
 */
function changesBy(form: TableForm, rows: Rows, commands: readonly RiskCommand[]): RowChange[] {
  const changes = new Map<string, RowChange>();
  return commands.map((command, index) => {
    const reject = (reason: string): never => {
      const row = form.keys.map((key) => `${key}[${command.conditions[key] ?? ""}]`).join("/") || "root row";
      throw new EngineRejection("rejected", `commands[${index}] (${command.type} ${row}): ${reason}`);
    };
    checkConditions(form, command, reject);
    const key = rowIdentity(form.keys.map((name) => command.conditions[name]));
    const earlier = changes.get(key);
    const before = earlier ? earlier.after : rows.get(key);
    const change = { key, before, after: rowAfter(form, before, command, reject) };
    changes.set(key, change);
    return change;
  });
}

type Reject = (reason: string) => never;

function rowAfter(
  form: TableForm,
  before: RiskRow | undefined,
  command: RiskCommand,
  reject: Reject,
): RiskRow | undefined {
  if (command.type === "DELETE") return before ? undefined : reject("the row does not exist");
  if (command.type === "INSERT" && before) reject("the row exists already");
  for (const name of Object.keys(command.limits ?? {})) {
    if (!form.columns.includes(name)) reject(unknownLimit(form, name));
  }
  const limits = { ...before?.limits, ...command.limits };
  return Object.freeze({
    conditions: Object.freeze(Object.fromEntries(form.keys.map((name) => [name, command.conditions[name] ?? ""]))),
    limits: Object.freeze(Object.fromEntries(form.columns.map((name) => [name, limits[name] ?? null]))),
  });
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

import type { Output } from "../../core/operations/table.ts";
import type { Installation } from "./installation-schema.ts";
import type { Attributes } from "./node.ts";
import {
  changesBy,
  type RiskCommand,
  type RiskRow,
  type RowChange,
  rowIdentity,
  type TableForm,
} from "./risk-update.ts";

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

import type { Output } from "../../core/operations.ts";
import type { Installation } from "./installation-schema.ts";
import type { Attributes } from "./node.ts";
import { afterCommands, type RiskCommand, type RiskRow, type Rows, rowKey, type TableForm } from "./risk-update.ts";

const WILDCARD = "*";

/** The risk table of one projection: its columns are fixed, its rows change. */
export class RiskTable {
  readonly form: TableForm;
  #rows: Rows;
  /** The kinds of row there are, most specific first; `*` in place of each wildcard, `=` in place of each value. */
  #patterns: readonly string[];

  constructor(projection: string, keys: readonly string[], table: Installation["risk"]["tables"][string]) {
    this.form = { projection, keys, columns: table.limits };
    const inserts = table.rows.map((row) => ({ type: "INSERT" as const, ...row }));
    this.#rows = afterCommands(this.form, new Map(), inserts);
    this.#patterns = patternsOf(this.form, this.#rows);
  }

  read(): Output<"getRiskTable"> {
    return { projection: this.form.projection, rows: structuredClone([...this.#rows.values()]) };
  }

  /** Applies all commands or, when one is rejected, none. */
  update(commands: readonly RiskCommand[]): void {
    this.#rows = afterCommands(this.form, this.#rows, commands);
    this.#patterns = patternsOf(this.form, this.#rows);
  }

  /**
   * The row that holds for an order: of the rows that match, the one with the fewest wildcards, and of those the one
   * that names a value for the earliest key. No row holds for an order that lacks a key of the projection.
   */
  rowFor(attributes: Attributes): RiskRow | undefined {
    if (this.form.keys.some((key) => attributes[key] === undefined)) return undefined;
    for (const pattern of this.#patterns) {
      const values = this.form.keys.map((key, index) => (pattern[index] === WILDCARD ? WILDCARD : attributes[key]));
      const row = this.#rows.get(rowKey(values));
      if (row) return row;
    }
    return undefined;
  }
}

function patternsOf({ keys }: TableForm, rows: Rows): string[] {
  const patterns = new Set<string>();
  for (const { conditions } of rows.values()) {
    patterns.add(keys.map((key) => (conditions[key] === WILDCARD ? WILDCARD : "=")).join(""));
  }
  return [...patterns].sort((a, b) => wildcards(a) - wildcards(b) || (a < b ? 1 : -1));
}

function wildcards(pattern: string): number {
  return [...pattern].filter((sign) => sign === WILDCARD).length;
}

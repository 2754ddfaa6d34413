import { compareDecimals } from "../values/decimal-text.ts";
import type { Direction } from "./operation.ts";

type Conditions = Readonly<Record<string, string>>;
/** Null, or a name that is missing, is unlimited. */
type Limits = Readonly<Record<string, string | null>>;

interface TableRow {
  readonly conditions: Conditions;
  readonly limits: Limits;
}

interface Command {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly conditions: Conditions;
  readonly limits?: Limits | undefined;
}

/** A row with the values of its conditions in the order of the keys. */
interface Row {
  readonly values: readonly (string | undefined)[];
  readonly limits: Limits;
}

const ANY = "*";

/** Rows and limits that are looked at for one update: a few milliseconds. */
const MAX_LOOKS = 50_000;

/**
 * Which way a risk update moves the limits of a table. It loosens as soon as one limit does. Where a row comes or goes, its limits
 * are compared with those of the rows that may hold in its place: all that match some of the same orders and are not more specific,
 * as which of them comes first is the engine's. Where that are too many, the update counts as one that loosens (decision D-LOAD 32). A
 * limit is an upper bound; of a name that begins with `Min` it is a lower one.
 */
export function riskDirection(commands: readonly Command[], table: readonly TableRow[]): Direction {
  const keys = Object.keys(commands[0]?.conditions ?? {});
  const valuesOf = (conditions: Conditions): Row["values"] => keys.map((key) => conditions[key]);
  const rows = table.map(({ conditions, limits }): Row => ({ values: valuesOf(conditions), limits }));
  const before = new Table(new Map(rows.map((row) => [JSON.stringify(row.values), row])));
  const after = before.copy();
  const named = commands.map(({ type, conditions, limits }) => after.apply(type, valuesOf(conditions), limits));
  const comparison = new Comparison();
  return worst(new Set(named), (key) => comparison.directionOf(before.get(key), after.get(key), before, after));
}

/** The rows of a risk table by their values. */
class Table {
  readonly #rows: Map<string, Row>;
  #all: readonly Row[] | undefined;
  /** For each condition the rows by their value of it. */
  #index: readonly ReadonlyMap<string | undefined, Row[]>[] | undefined;

  constructor(rows: Map<string, Row>) {
    this.#rows = rows;
  }

  copy(): Table {
    return new Table(new Map(this.#rows));
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Applies a command, the limits that an `UPDATE` does not name left as they were; returns the key of its row. */
  apply(type: Command["type"], values: Row["values"], limits?: Limits): string {
    const key = JSON.stringify(values);
    if (type === "DELETE") this.#rows.delete(key);
    else this.#rows.set(key, { values, limits: { ...this.#rows.get(key)?.limits, ...limits } });
    return key;
  }

  /** Groups of rows among which are all that overlap a row; no command may follow. */
  near({ values }: Row): readonly (readonly Row[])[] {
    this.#all ??= [...this.#rows.values()];
    const all = this.#all;
    this.#index ??= values.map((_, place) => grouped(all, place));
    let nearest: readonly (readonly Row[])[] = [all];
    for (const [place, value] of values.entries()) {
      const groups = this.#index[place];
      const found = [groups?.get(value) ?? [], groups?.get(ANY) ?? []];
      if (value !== ANY && sizeOf(found) < sizeOf(nearest)) nearest = found;
    }
    return nearest;
  }
}

function sizeOf(groups: readonly (readonly Row[])[]): number {
  return groups.reduce((sum, { length }) => sum + length, 0);
}

function grouped(rows: readonly Row[], place: number): ReadonlyMap<string | undefined, Row[]> {
  const groups = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.values[place]);
    if (group) group.push(row);
    else groups.set(row.values[place], [row]);
  }
  return groups;
}

/** Compares rows and limits, as many as one update may cost. */
class Comparison {
  #looks = 0;

  directionOf(was: Row | undefined, is: Row | undefined, before: Table, after: Table): Direction {
    if (was && is) return this.#compared(was.limits, is.limits);
    if (is) return this.#besideOthers(is, before, (others) => this.#compared(others, is.limits));
    if (was) return this.#besideOthers(was, after, (others) => this.#compared(was.limits, others));
    return "neutral";
  }

  /**
   * Compares a row that comes or goes with all rows that may hold in its place. Where for some orders there is none it loosens: whether
   * those are free or refused then is the engine's, so that a row which comes may let them pass, and one that goes as well.
   */
  #besideOthers(row: Row, table: Table, compare: (others: Limits) => Direction): Direction {
    let isCovered = false;
    const beside = (other: Row): Direction => {
      if (this.#isTooMany(1)) return "loosens";
      if (!overlaps(other, row) || covers(row, other)) return "neutral";
      isCovered ||= covers(other, row);
      return compare(other.limits);
    };
    const direction = worst(table.near(row), (group) => worst(group, beside));
    return isCovered ? direction : "loosens";
  }

  #compared(from: Limits, to: Limits): Direction {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    if (this.#isTooMany(names.size)) return "loosens";
    return worst(names, (name) => {
      const room = roomier(name, from[name] ?? null, to[name] ?? null);
      if (room === 0) return "neutral";
      return room > 0 ? "loosens" : "tightens";
    });
  }

  #isTooMany(looks: number): boolean {
    this.#looks += looks;
    return this.#looks > MAX_LOOKS;
  }
}

/** The direction of several things together; ends with the first that loosens. */
function worst<T>(items: Iterable<T>, directionOf: (item: T) => Direction): Direction {
  let tightens = false;
  for (const item of items) {
    const direction = directionOf(item);
    if (direction === "loosens") return direction;
    tightens ||= direction === "tightens";
  }
  return tightens ? "tightens" : "neutral";
}

/** Above 0 where a limit leaves more room than before, below 0 where it leaves less. */
function roomier(name: string, from: string | null, to: string | null): number {
  if (from === null || to === null) return Number(to === null) - Number(from === null);
  return compareDecimals(to, from) * (name.startsWith("Min") ? -1 : 1);
}

/** Whether every order that matches `narrow` matches `wide`. */
function covers(wide: Row, narrow: Row): boolean {
  return wide.values.every((value, place) => value === ANY || value === narrow.values[place]);
}

/** Whether some order may match both. */
function overlaps(one: Row, other: Row): boolean {
  return one.values.every((value, place) => {
    const others = other.values[place];
    return value === ANY || others === ANY || value === others;
  });
}

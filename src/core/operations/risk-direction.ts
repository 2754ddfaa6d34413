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

/** A row with the values of its conditions in the order of the keys, and these as one text. */
interface Row {
  readonly key: string;
  readonly values: readonly (string | undefined)[];
  readonly limits: Limits;
}

const ANY = "*";

/** Rows and limits that are looked at for one update: a few milliseconds. */
const MAX_LOOKS = 50_000;

/**
 * Which way a risk update moves the limits of a table. It loosens as soon as one limit does. Where a row comes or goes, its limits
 * are compared with those of the rows that may hold in its place: all that match some of the same orders and are not more specific,
 * as which of them comes first is the engine's. Where that are too many, the update counts as one that loosens (decision D-LOAD 32).
 */
export function riskDirection(commands: readonly Command[], table: readonly TableRow[]): Direction {
  const keys = Object.keys(commands[0]?.conditions ?? {});
  const rowOf = ({ conditions, limits = {} }: Pick<Command, "conditions" | "limits">): Row => {
    const values = keys.map((key) => conditions[key]);
    return { key: JSON.stringify(values), values, limits };
  };
  const update = new Update(table.map(rowOf));
  for (const command of commands) update.apply(command.type, rowOf(command));
  return update.direction;
}

/** A risk table, and what an update makes of it. */
class Update {
  readonly #rows: Row[];
  readonly #before: ReadonlyMap<string, Row>;
  /** The rows that are named, as they are after it. */
  readonly #after = new Map<string, Row | undefined>();
  /** For each condition the rows before it by their value of it. */
  #index: readonly ReadonlyMap<string | undefined, Row[]>[] | undefined;
  #looks = 0;

  constructor(rows: Row[]) {
    this.#rows = rows;
    this.#before = new Map(rows.map((row) => [row.key, row]));
  }

  /** Applies a command, the limits that an `UPDATE` does not name left as they were. */
  apply(type: Command["type"], named: Row): void {
    const limits = { ...this.#now(named)?.limits, ...named.limits };
    this.#after.set(named.key, type === "DELETE" ? undefined : { ...named, limits });
  }

  get direction(): Direction {
    const inserted = this.#inserted();
    return worst(this.#after, ([key, is]) => {
      const was = this.#before.get(key);
      if (was && is) return this.#compared(was.limits, is.limits);
      if (is) return this.#comes(is);
      return was ? this.#goes(was, inserted) : "neutral";
    });
  }

  /** A row after the commands so far; undefined where it is deleted. */
  #now(row: Row): Row | undefined {
    return this.#after.has(row.key) ? this.#after.get(row.key) : this.#before.get(row.key);
  }

  #comes(row: Row): Direction {
    return this.#besideOthers(row, this.#near(row), ({ limits }) => this.#compared(limits, row.limits));
  }

  #goes(row: Row, inserted: Row[]): Direction {
    return this.#besideOthers(row, [...this.#near(row), inserted], (other) => {
      const now = this.#now(other);
      return now ? this.#compared(row.limits, now.limits) : undefined;
    });
  }

  /**
   * Compares a row that comes or goes with all rows that may hold in its place; undefined for one that is gone. Where for some orders
   * there is none it loosens: whether those are free or refused then is the engine's, so that a row which comes may let them pass, and one
   * that goes as well.
   */
  #besideOthers(row: Row, groups: readonly Row[][], compare: (other: Row) => Direction | undefined): Direction {
    let isCovered = false;
    const beside = (other: Row): Direction => {
      if (this.#isTooMany(1)) return "loosens";
      if (!overlaps(other, row) || covers(row, other)) return "neutral";
      const direction = compare(other);
      if (direction) isCovered ||= covers(other, row);
      return direction ?? "neutral";
    };
    const direction = worst(groups, (group) => worst(group, beside));
    return isCovered ? direction : "loosens";
  }

  #inserted(): Row[] {
    return [...this.#after.values()].filter((row): row is Row => row !== undefined && !this.#before.has(row.key));
  }

  /** Groups of rows before the update among which are all that overlap a row. */
  #near({ values }: Row): readonly Row[][] {
    this.#index ??= values.map((_, place) => grouped(this.#rows, place));
    let nearest: readonly Row[][] = [this.#rows];
    for (const [place, value] of values.entries()) {
      const groups = this.#index[place];
      const found = [groups?.get(value) ?? [], groups?.get(ANY) ?? []];
      if (value !== ANY && sizeOf(found) < sizeOf(nearest)) nearest = found;
    }
    return nearest;
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

function sizeOf(groups: readonly Row[][]): number {
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

/** Whether a limit is a lower bound, by its name: `MinPrice`, `min_price`, `MinimumPrice`, but not `MinuteOrders`. Any other is an upper bound. */
export function isLowerBound(name: string): boolean {
  return /^(?:[Mm]in(?:imum)?(?![a-z])|MIN(?:IMUM)?(?![A-Z]))/.test(name);
}

/** Above 0 where a limit leaves more room than before, below 0 where it leaves less. */
function roomier(name: string, from: string | null, to: string | null): number {
  if (from === null || to === null) return Number(to === null) - Number(from === null);
  return compareDecimals(to, from) * (isLowerBound(name) ? -1 : 1);
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

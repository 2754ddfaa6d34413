/** Null, or a name that is missing, is unlimited. */
export type RowLimits = Readonly<Record<string, string | null>>;

type Conditions = Readonly<Record<string, string>>;

interface TableRow {
  readonly conditions: Conditions;
  readonly limits: RowLimits;
}

export interface LimitCommand {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly conditions: Conditions;
  readonly limits?: RowLimits | undefined;
}

/** A row with the values of its conditions in the order of the keys, and these as one text. */
export interface KeyedRow {
  readonly key: string;
  readonly conditions: Conditions;
  readonly values: readonly (string | undefined)[];
  readonly limits: RowLimits;
}

/** Rows that may apply to the same orders before an update and after it; undefined where for some orders there is none. */
export interface Succession {
  readonly from: KeyedRow | undefined;
  readonly to: KeyedRow | undefined;
}

const ANY = "*";

/** A risk table, and what an update makes of it. */
export class TableUpdate {
  readonly #rows: KeyedRow[];
  readonly #before: ReadonlyMap<string, KeyedRow>;
  /** The rows that are named, as they are after it. */
  readonly #after = new Map<string, KeyedRow | undefined>();
  readonly #isTooMany: (looks: number) => boolean;
  /** For each condition the rows before it by their value of it. */
  #index: readonly ReadonlyMap<string | undefined, KeyedRow[]>[] | undefined;

  /** `isTooMany` is asked before each row that is looked at: those that are left are taken for none. */
  constructor(
    keys: readonly string[],
    table: readonly TableRow[],
    commands: readonly LimitCommand[],
    isTooMany: (looks: number) => boolean = () => false,
  ) {
    const rowOf = ({ conditions, limits = {} }: Omit<LimitCommand, "type">): KeyedRow => {
      const values = keys.map((key) => conditions[key]);
      return { key: JSON.stringify(values), conditions, values, limits };
    };
    this.#rows = table.map(rowOf);
    this.#before = new Map(this.#rows.map((row) => [row.key, row]));
    this.#isTooMany = isTooMany;
    for (const command of commands) this.#apply(command.type, rowOf(command));
  }

  /** The rows that are named, as they were and as they are. */
  get named(): Succession[] {
    return [...this.#after].map(([key, to]) => ({ from: this.#before.get(key), to }));
  }

  /**
   * What takes the place of what, for a row that is named. Where it comes or goes, these are the rows that may apply in its place: all
   * that match some of the same orders and are not more specific, as which of them comes first is the engine's.
   */
  *successions(named: Succession): Generator<Succession> {
    const { from, to } = named;
    if (from && to) yield named;
    else if (to) for (const other of this.#beside(to, this.#near(to), (row) => row)) yield { from: other, to };
    else if (from) {
      const groups = [...this.#near(from), this.#inserted()];
      for (const other of this.#beside(from, groups, (row) => this.#now(row))) yield { from, to: other };
    }
  }

  /** Applies a command, the limits that an `UPDATE` does not name left as they were. */
  #apply(type: LimitCommand["type"], named: KeyedRow): void {
    const limits = { ...this.#now(named)?.limits, ...named.limits };
    this.#after.set(named.key, type === "DELETE" ? undefined : { ...named, limits });
  }

  /** A row after the commands so far; undefined where it is deleted. */
  #now(row: KeyedRow): KeyedRow | undefined {
    return this.#after.has(row.key) ? this.#after.get(row.key) : this.#before.get(row.key);
  }

  /** All rows that may apply in place of one; at the end undefined, where for some of its orders there is none. */
  *#beside(
    row: KeyedRow,
    groups: readonly KeyedRow[][],
    present: (other: KeyedRow) => KeyedRow | undefined,
  ): Generator<KeyedRow | undefined> {
    let isCovered = false;
    for (const group of groups) {
      for (const other of group) {
        if (this.#isTooMany(1)) return yield undefined;
        const is = overlaps(other, row) && !covers(row, other) ? present(other) : undefined;
        if (!is) continue;
        isCovered ||= covers(is, row);
        yield is;
      }
    }
    if (!isCovered) yield undefined;
  }

  #inserted(): KeyedRow[] {
    return [...this.#after.values()].filter((row): row is KeyedRow => row !== undefined && !this.#before.has(row.key));
  }

  /** Groups of rows before the update among which are all that overlap a row. */
  #near({ values }: KeyedRow): readonly KeyedRow[][] {
    this.#index ??= values.map((_, place) => grouped(this.#rows, place));
    let nearest: readonly KeyedRow[][] = [this.#rows];
    for (const [place, value] of values.entries()) {
      const groups = this.#index[place];
      const found = [groups?.get(value) ?? [], groups?.get(ANY) ?? []];
      if (value !== ANY && sizeOf(found) < sizeOf(nearest)) nearest = found;
    }
    return nearest;
  }
}

function sizeOf(groups: readonly KeyedRow[][]): number {
  return groups.reduce((sum, { length }) => sum + length, 0);
}

function grouped(rows: readonly KeyedRow[], place: number): ReadonlyMap<string | undefined, KeyedRow[]> {
  const groups = new Map<string | undefined, KeyedRow[]>();
  for (const row of rows) {
    const group = groups.get(row.values[place]);
    if (group) group.push(row);
    else groups.set(row.values[place], [row]);
  }
  return groups;
}

/** Whether every order that matches `narrow` matches `wide`. */
function covers(wide: KeyedRow, narrow: KeyedRow): boolean {
  return wide.values.every((value, place) => value === ANY || value === narrow.values[place]);
}

/** Whether some order may match both. */
function overlaps(one: KeyedRow, other: KeyedRow): boolean {
  return one.values.every((value, place) => {
    const others = other.values[place];
    return value === ANY || others === ANY || value === others;
  });
}

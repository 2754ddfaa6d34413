/** Rows that are worked on at a time: half a millisecond's worth. */
const ROWS_AT_A_TIME = 250;

/**
 * A value that is a long array, or an object with one in a field, to be worked on in steps. Where its rows are still text, each
 * part is parsed when its turn comes, so that no more than one part is held.
 */
export class LongList {
  /** The field that holds the rows; undefined when the value is the array itself. */
  readonly field: string | undefined;
  /** The value with other rows in place of these. */
  readonly with: (rows: readonly unknown[]) => unknown;
  /** The rows, some at a time. */
  readonly parts: () => Iterable<readonly unknown[]>;

  constructor(field: LongList["field"], withRows: LongList["with"], parts: LongList["parts"]) {
    this.field = field;
    this.with = withRows;
    this.parts = parts;
  }
}

/** Finds the long array of an output, so that it can be worked on in steps; undefined for an output that is short. */
export function longListIn(value: unknown): LongList | undefined {
  if (value instanceof LongList) return value;
  if (isLong(value))
    return new LongList(
      undefined,
      (rows) => rows,
      () => partsOf(value),
    );
  if (typeof value !== "object" || value === null) return undefined;
  for (const field in value) {
    const rows: unknown = (value as Record<string, unknown>)[field];
    if (!isLong(rows)) continue;
    const withRows = (others: readonly unknown[]): unknown => ({ ...value, [field]: others });
    return new LongList(field, withRows, () => partsOf(rows));
  }
  return undefined;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ROWS_AT_A_TIME;
}

function* partsOf(rows: readonly unknown[]): Generator<readonly unknown[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) yield rows.slice(from, from + ROWS_AT_A_TIME);
}

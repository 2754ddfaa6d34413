/** Rows that are worked on at a time: half a millisecond's worth. */
const ROWS_AT_A_TIME = 250;

/** A value that is a long array, or an object with one in a field. */
export interface LongList {
  readonly rows: readonly unknown[];
  /** The field that holds the rows; undefined when the value is the array itself. */
  readonly field: string | undefined;
  /** The value with other rows in place of these. */
  with(rows: readonly unknown[]): unknown;
}

/** Finds the long array of an output, so that it can be worked on in steps; undefined for an output that is short. */
export function longList(value: unknown): LongList | undefined {
  if (isLong(value)) return { rows: value, field: undefined, with: (rows) => rows };
  if (typeof value !== "object" || value === null) return undefined;
  for (const field in value) {
    const rows: unknown = (value as Record<string, unknown>)[field];
    if (isLong(rows)) return { rows, field, with: (others) => ({ ...value, [field]: others }) };
  }
  return undefined;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ROWS_AT_A_TIME;
}

/** The rows in parts. */
export function* partsOf(rows: readonly unknown[]): Generator<readonly unknown[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) yield rows.slice(from, from + ROWS_AT_A_TIME);
}

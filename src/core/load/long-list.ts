import { functionLike, requireArgument } from "../options.ts";
import { isObject } from "../values/basics.ts";
import { piecesOf } from "./turns.ts";

/** Rows per part: about half a millisecond of work. */
const ROWS_AT_A_TIME = 250;

const PARTS = functionLike("() => [rows]");

/**
 * A value that is a long array, or an object with one in a field, to be processed in parts. Rows that are still text are parsed
 * lazily, one part at a time, so that memory holds a single part.
 */
export class LongList {
  /** The field with the rows; undefined if the value is the array itself. */
  readonly field: string | undefined;
  readonly parts: () => Iterable<readonly unknown[]>;
  readonly #object: object;

  /** `object` has the other fields, if any. */
  constructor(object: object, field: LongList["field"], parts: LongList["parts"]) {
    requireArgument("LongList", "parts", parts, PARTS);
    this.field = field;
    this.parts = parts;
    this.#object = object;
  }

  /** Returns the value with its rows replaced. */
  with(rows: readonly unknown[]): unknown {
    return this.field === undefined ? rows : { ...this.#object, [this.field]: rows };
  }
}

/** Finds the long array of an output; undefined for a short output. */
export function longListIn(value: unknown): LongList | undefined {
  if (value instanceof LongList) return value;
  if (isLong(value)) return new LongList({}, undefined, () => piecesOf(value, ROWS_AT_A_TIME));
  if (!isObject(value)) return undefined;
  for (const field in value) {
    const rows = value[field];
    if (isLong(rows)) return new LongList(value, field, () => piecesOf(rows, ROWS_AT_A_TIME));
  }
  return undefined;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ROWS_AT_A_TIME;
}

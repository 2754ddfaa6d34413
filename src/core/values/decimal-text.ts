import { grouped } from "./basics.ts";

/**
 * Exact sums and comparisons of decimals as text, without a library: for fast start-up, and for pages.
 */

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** A decimal as an integer, scaled by 10 to the power of `places`. */
interface Exact {
  readonly units: bigint;
  readonly places: number;
}

/** Whether a value is a decimal as text, such as `12.5`. */
export function isDecimalText(value: unknown): boolean {
  return exactOf(value) !== undefined;
}

/** The sum without trailing zeros; values that are not decimals, such as null, count as zero. */
export function exactSum(values: Iterable<unknown>): string {
  let total: Exact = { units: 0n, places: 0 };
  for (const value of values) {
    const [a, b, places] = aligned(total, exactOf(value) ?? { units: 0n, places: 0 });
    total = { units: a + b, places };
  }
  return printed(total);
}

/** Comparison function of decimals for `sort`; missing values come first. */
export function compareDecimals(left: string | null, right: string | null): number {
  const [first, second] = [exactOf(left), exactOf(right)];
  if (!first || !second) return Number(first !== undefined) - Number(second !== undefined);
  const [a, b] = aligned(first, second);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Rows in ascending order of a decimal. Rounding is monotonic, so exact digits are compared only for equal floating-point values. */
export function sortedByDecimal<Row>(rows: readonly Row[], decimalOf: (row: Row) => string | null): Row[] {
  const keyed = rows.map((row) => {
    const text = decimalOf(row);
    return { row, text, rounded: text === null ? Number.NEGATIVE_INFINITY : Number(text) };
  });
  keyed.sort((a, b) => a.rounded - b.rounded || (a.text === b.text ? 0 : compareDecimals(a.text, b.text)));
  return keyed.map(({ row }) => row);
}

/** Whether one of two decimals is, sign aside, at least `factor` times the other; nothing is any multiple of zero but zero. */
export function differsByFactor(left: string, right: string, factor: bigint): boolean {
  const [first, second] = [exactOf(left), exactOf(right)];
  if (!first || !second) return false;
  const [a, b] = aligned(first, second);
  const [x, y] = [absolute(a), absolute(b)];
  return x !== y && (x >= y * factor || y >= x * factor);
}

/** A decimal for display: all digits, with grouped thousands. */
export function groupDigits(text: string): string {
  const [whole = "", fraction] = text.split(".");
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/** A decimal with at most `places` digits behind the point, rounded half away from zero, without trailing zeros beyond those that it has. */
export function roundedDecimal(text: string, places: number): string {
  const exact = exactOf(text);
  if (!exact || exact.places <= places) return text;
  const scale = 10n ** BigInt(exact.places - places);
  const units = (absolute(exact.units) * 2n + scale) / (scale * 2n);
  const rounded = printed({ units, places });
  // A loss that is too small to be seen is still one.
  return exact.units < 0n ? `-${rounded}` : rounded;
}

function exactOf(value: unknown): Exact | undefined {
  const found = typeof value === "string" ? DECIMAL.exec(value) : null;
  if (!found) return undefined;
  const [, sign, whole = "0", fraction = ""] = found;
  const units = BigInt(whole + fraction);
  return { units: sign === "-" ? -units : units, places: fraction.length };
}

/** Both decimals as integers of the same scale. */
function aligned(left: Exact, right: Exact): [bigint, bigint, number] {
  const places = Math.max(left.places, right.places);
  const scaled = ({ units, places: own }: Exact): bigint =>
    own === places ? units : units * 10n ** BigInt(places - own);
  return [scaled(left), scaled(right), places];
}

function absolute(units: bigint): bigint {
  return units < 0n ? -units : units;
}

function printed({ units, places }: Exact): string {
  const digits = String(absolute(units)).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

/** Fields of a position that its total needs. */
type Summand = Readonly<Record<string, unknown>> & { readonly symbol?: unknown };

/** Whether positions have a common unit: they are all of one symbol, and so of one currency. The API names no currency otherwise. */
export function haveCommonUnit(positions: readonly Summand[]): boolean {
  const [first] = positions;
  return typeof first?.symbol === "string" && positions.every(({ symbol }) => symbol === first.symbol);
}

/** The exact sum of a field of positions that have a common unit; null where one of them has no value there. */
export function positionTotal(positions: readonly Summand[], field: string): string | null {
  const values = positions.map((position) => position[field]);
  return values.every(isDecimalText) ? exactSum(values) : null;
}

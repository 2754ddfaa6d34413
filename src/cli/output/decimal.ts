const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** A decimal as a whole number of its smallest fraction, which has `places` digits behind the point. */
interface Exact {
  readonly units: bigint;
  readonly places: number;
}

/** Whether a value is a decimal as text, such as `12.5`. */
export function isDecimal(value: unknown): boolean {
  return exactOf(value) !== undefined;
}

/** Sum of decimals as text, exact to the last digit; what is no decimal, such as null, counts as nothing. */
export function exactSum(values: readonly unknown[]): string {
  const exact = values.flatMap((value) => exactOf(value) ?? []);
  const places = Math.max(0, ...exact.map((one) => one.places));
  const sum = exact.reduce((total, one) => total + scaled(one, places), 0n);
  return pointed(sum, places);
}

/** Whether one of two decimals is, sign aside, at least `factor` times the other; nothing is any multiple of zero but zero. */
export function differsByFactor(a: string, b: string, factor: bigint): boolean {
  const [first, second] = [exactOf(a), exactOf(b)];
  if (!first || !second) return false;
  const places = Math.max(first.places, second.places);
  const [x, y] = [absolute(scaled(first, places)), absolute(scaled(second, places))];
  return x !== y && (x >= y * factor || y >= x * factor);
}

function exactOf(value: unknown): Exact | undefined {
  const found = typeof value === "string" ? DECIMAL.exec(value) : null;
  if (!found) return undefined;
  const [, sign, whole = "0", fraction = ""] = found;
  const units = BigInt(whole + fraction);
  return { units: sign === "-" ? -units : units, places: fraction.length };
}

function scaled({ units, places }: Exact, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - places);
}

function absolute(units: bigint): bigint {
  return units < 0n ? -units : units;
}

function pointed(units: bigint, places: number): string {
  const digits = String(absolute(units)).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

/** A decimal number as a whole number of units; `scale` digits of it are behind the point. */
interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

const ZERO: Scaled = { units: 0n, scale: 0 };

/** The exact sum of decimals, without trailing zeros; what has no value adds nothing. */
export function sum(decimals: Iterable<string | null>): string {
  let total = ZERO;
  for (const text of decimals) if (text !== null) total = plus(total, scaled(text));
  return printed(total);
}

/** Which of two decimals is greater, as `sort` wants it; what has no value comes first. */
export function compareDecimals(left: string | null, right: string | null): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  const [a, b] = aligned(scaled(left), scaled(right));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A decimal for reading: all its digits, in groups of three before the point. */
export function groupDigits(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

function scaled(text: string): Scaled {
  const [whole = "", fraction = ""] = text.replace(/^\+/, "").split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

function plus(left: Scaled, right: Scaled): Scaled {
  const [a, b] = aligned(left, right);
  return { units: a + b, scale: Math.max(left.scale, right.scale) };
}

/** The units of both at the larger scale. */
function aligned(left: Scaled, right: Scaled): [bigint, bigint] {
  const scale = Math.max(left.scale, right.scale);
  return [atScale(left, scale), atScale(right, scale)];
}

function atScale({ units, scale }: Scaled, wanted: number): bigint {
  return scale === wanted ? units : units * 10n ** BigInt(wanted - scale);
}

function printed({ units, scale }: Scaled): string {
  const sign = units < 0n ? "-" : "";
  const digits = `${units < 0n ? -units : units}`.padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

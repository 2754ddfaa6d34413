import type { Column, Row } from "./columns.ts";

/** Totals of the columns that have one, exact to the last digit; undefined when no column has one. */
export function totalsOf(columns: readonly Column[], rows: readonly Row[]): ReadonlyMap<string, string> | undefined {
  const summed = columns.filter(({ total }) => total);
  if (summed.length === 0) return undefined;
  return new Map(summed.map(({ name }) => [name, exactSum(rows.map((row) => row[name]))]));
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** Sum of decimals as text; what has no value counts as nothing. Whole numbers of the smallest fraction, so no digit is lost. */
export function exactSum(values: readonly unknown[]): string {
  const parts = values.flatMap((value) => (typeof value === "string" ? [DECIMAL.exec(value) ?? []] : []));
  const places = Math.max(0, ...parts.map(([, , , fraction = ""]) => fraction.length));
  const sum = parts.reduce((total, [, sign, whole = "0", fraction = ""]) => {
    const units = BigInt(whole + fraction.padEnd(places, "0"));
    return sign === "-" ? total - units : total + units;
  }, 0n);
  return pointed(sum, places);
}

function pointed(units: bigint, places: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  return `${sign}${whole}${fraction && `.${fraction}`}`;
}

import { UsageError } from "./exit-codes.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `5s`, `2m` or `1h`; a number alone is in seconds. */
export function durationMs(option: string, text: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number !== undefined && factor !== undefined) return Math.round(Number(number) * factor);
  throw new UsageError(`${option}: ${JSON.stringify(text)} is no duration such as 500ms, 5s or 2m; nothing was sent`);
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

import { UsageError } from "../exit-codes.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const AGO = /^(\d+)([smhd])$/;
const TIME_OF_DAY = /^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_AND_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads a point in time, in epoch milliseconds: `15m` (ago), `09:30` (today), `2026-01-05`, `2026-01-05T09:30:00Z`. Without a zone
 * it is UTC, as in the audit file. `option` begins the message for a text that is none.
 */
export function instantOf(option: string, text: string, now: number): number {
  const [, number, unit = ""] = AGO.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * (UNIT_MS[unit] ?? 0);
  const instant = Date.parse(isoOf(text, now));
  if (!Number.isNaN(instant)) return instant;
  throw new UsageError(
    `${option}: must be a time such as 15m (ago), 09:30 (today), 2026-01-05 or 2026-01-05T09:30:00Z, all in UTC, is "${text}"`,
  );
}

/** The text as ISO 8601 with a zone; empty where it is no time. */
function isoOf(text: string, now: number): string {
  if (TIME_OF_DAY.test(text)) return `${new Date(now).toISOString().slice(0, 10)}T${text}Z`;
  if (DATE.test(text)) return text;
  const zone = DATE_AND_TIME.exec(text);
  if (!zone) return "";
  return zone[3] === undefined ? `${text}Z` : text;
}

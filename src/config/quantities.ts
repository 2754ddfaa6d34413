import type { Bounds } from "../core/options.ts";
import { between, fromText, type ValueType } from "./values.ts";

const KB = 1024;
const BYTES = new Map(Object.entries({ "": 1, B: 1, KB, MB: KB * KB }));

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const MILLISECONDS = new Map(Object.entries({ "": 1, ms: 1, s: SECOND, m: MINUTE, h: HOUR }));

/** A size in bytes: a plain number, or one with the unit `B`, `KB` or `MB`; units are powers of 1024, as in Spring. */
export function dataSize(min: string, max: string): ValueType<number> {
  const [least = 0, most = 0] = [bytes(min), bytes(max)];
  return fromText(`a size from ${min} to ${max}`, (given) => between(bytes(given), least, most));
}

function bytes(given: string): number | undefined {
  const [, count, unit = ""] = /^(\d+)([A-Z]*)$/.exec(given) ?? [];
  const factor = BYTES.get(unit);
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}

/** A duration in milliseconds: a plain number, one with the unit `ms`, `s`, `m` or `h`, or ISO 8601 such as `PT10S`. */
export function duration(min: string, max: string): ValueType<number> {
  const [least = 0, most = 0] = [milliseconds(min), milliseconds(max)];
  return fromText(`a duration from ${min} to ${max}`, (given) => between(milliseconds(given), least, most));
}

/** The same, with limits that an option of the library has too. */
export function durationWithin({ min, max }: Bounds): ValueType<number> {
  return duration(durationText(min), durationText(max));
}

/** Milliseconds above 0 in the largest unit that fits. */
function durationText(ms: number): string {
  const [unit = "ms", factor = 1] = [...MILLISECONDS].findLast(([, factor]) => ms % factor === 0) ?? [];
  return `${ms / factor}${unit}`;
}

function milliseconds(given: string): number | undefined {
  const [, count, unit = ""] = /^(\d+)([a-z]*)$/i.exec(given) ?? [];
  if (count === undefined) return isoMilliseconds(given);
  const factor = MILLISECONDS.get(unit.toLowerCase());
  return factor === undefined ? undefined : Number(count) * factor;
}

function isoMilliseconds(given: string): number | undefined {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,3}))?S)?$/i.exec(given);
  if (match === null) return undefined;
  const [hours, minutes, seconds, fraction] = match.slice(1);
  return (
    Number(hours ?? 0) * HOUR +
    Number(minutes ?? 0) * MINUTE +
    Number(seconds ?? 0) * SECOND +
    Number((fraction ?? "").padEnd(3, "0"))
  );
}

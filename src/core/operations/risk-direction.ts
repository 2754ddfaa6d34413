import { compareDecimals } from "../values/decimal-text.ts";
import type { Direction } from "./operation.ts";

type Conditions = Readonly<Record<string, string>>;
/** Null, or a name that is missing, is unlimited. */
type Limits = Readonly<Record<string, string | null>>;

interface Row {
  readonly conditions: Conditions;
  readonly limits: Limits;
}

interface Command {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly conditions: Conditions;
  readonly limits?: Limits | undefined;
}

const ANY = "*";

/**
 * Which way a risk update moves the limits of a table. It loosens as soon as one limit does. Where a row comes or goes, its limits
 * are compared with those of the rows that may hold in its place: all that match some of the same orders and are not more specific,
 * as which of them comes first is the engine's. A limit is an upper bound; of a name that begins with `Min` it is a lower one.
 */
export function* riskDirection(commands: readonly Command[], table: readonly Row[]): Generator<void, Direction> {
  const before = new Map(table.map((row) => [keyOf(row.conditions), row]));
  const after = applied(before, commands);
  let tightens = false;
  for (const key of new Set(commands.map(({ conditions }) => keyOf(conditions)))) {
    for (const direction of directionsOf(before.get(key), after.get(key), before, after)) {
      if (direction === "loosens") return direction;
      tightens ||= direction === "tightens";
    }
    yield;
  }
  return tightens ? "tightens" : "neutral";
}

/** The table afterwards, with the limits that an `UPDATE` does not name as they were. */
function applied(before: ReadonlyMap<string, Row>, commands: readonly Command[]): ReadonlyMap<string, Row> {
  const after = new Map(before);
  for (const { type, conditions, limits } of commands) {
    const key = keyOf(conditions);
    if (type === "DELETE") after.delete(key);
    else after.set(key, { conditions, limits: { ...after.get(key)?.limits, ...limits } });
  }
  return after;
}

type Table = ReadonlyMap<string, Row>;

function directionsOf(was: Row | undefined, is: Row | undefined, before: Table, after: Table): Direction[] {
  if (was && is) return [compared(was.limits, is.limits)];
  if (is) return inItsPlace(is, before)?.map((limits) => compared(limits, is.limits)) ?? ["loosens"];
  if (was) return inItsPlace(was, after)?.map((limits) => compared(was.limits, limits)) ?? ["loosens"];
  return [];
}

/**
 * Limits of all rows that may hold where a row is not there; undefined where for some orders there is none. Whether those are free
 * or refused then is the engine's, so that a row which comes may let them pass, and one that goes as well.
 */
function inItsPlace(row: Row, table: Table): Limits[] | undefined {
  const others = [...table.values()].filter((other) => overlaps(other, row) && !covers(row, other));
  return others.some((other) => covers(other, row)) ? others.map(({ limits }) => limits) : undefined;
}

function compared(from: Limits, to: Limits): Direction {
  let tightens = false;
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const room = roomier(name, from[name] ?? null, to[name] ?? null);
    if (room > 0) return "loosens";
    tightens ||= room < 0;
  }
  return tightens ? "tightens" : "neutral";
}

/** Above 0 where a limit leaves more room than before, below 0 where it leaves less. */
function roomier(name: string, from: string | null, to: string | null): number {
  if (from === null || to === null) return Number(to === null) - Number(from === null);
  return compareDecimals(to, from) * (name.startsWith("Min") ? -1 : 1);
}

/** Whether every order that matches `narrow` matches `wide`. */
function covers(wide: Row, narrow: Row): boolean {
  return everyKey(wide, (key) => wide.conditions[key] === ANY || wide.conditions[key] === narrow.conditions[key]);
}

/** Whether some order may match both. */
function overlaps(one: Row, other: Row): boolean {
  const isOpen = ({ conditions }: Row, key: string): boolean => conditions[key] === ANY;
  return everyKey(
    one,
    (key) => isOpen(one, key) || isOpen(other, key) || one.conditions[key] === other.conditions[key],
  );
}

function everyKey({ conditions }: Row, holds: (key: string) => boolean): boolean {
  return Object.keys(conditions).every(holds);
}

/** The order of keys does not count. */
function keyOf(conditions: Conditions): string {
  return JSON.stringify(Object.entries(conditions).sort(([a], [b]) => (a < b ? -1 : 1)));
}

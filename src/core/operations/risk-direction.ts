import { forEachInSteps, type Steps } from "../load/steps.ts";
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

/** Rows, or commands, that are looked at in one step. */
const AT_A_TIME = 100;

/**
 * Which way a risk update moves the limits of a table. It loosens as soon as one limit does. Where a row comes or goes, its limits
 * are compared with those of the rows that may hold in its place: all that match some of the same orders and are not more specific,
 * as which of them comes first is the engine's. A limit is an upper bound; of a name that begins with `Min` it is a lower one.
 */
export function* riskDirection(commands: readonly Command[], table: readonly Row[]): Steps<Direction> {
  const before = new Map<string, Row>();
  yield* forEachInSteps(table, AT_A_TIME, (row) => before.set(keyOf(row.conditions), row));
  const after = new Map(before);
  const named = new Set<string>();
  yield* forEachInSteps(commands, AT_A_TIME, (command) => named.add(apply(command, after)));
  let tightens = false;
  for (const key of named) {
    const direction = yield* directionOf(before.get(key), after.get(key), before, after);
    if (direction === "loosens") return direction;
    tightens ||= direction === "tightens";
    yield;
  }
  return tightens ? "tightens" : "neutral";
}

type Table = ReadonlyMap<string, Row>;

/** Applies a command to a table, the limits that an `UPDATE` does not name left as they were; returns the key of its row. */
function apply({ type, conditions, limits }: Command, table: Map<string, Row>): string {
  const key = keyOf(conditions);
  if (type === "DELETE") table.delete(key);
  else table.set(key, { conditions, limits: { ...table.get(key)?.limits, ...limits } });
  return key;
}

function* directionOf(was: Row | undefined, is: Row | undefined, before: Table, after: Table): Steps<Direction> {
  if (was && is) return compared(was.limits, is.limits);
  if (is) return yield* besideOthers(is, before, (others) => compared(others, is.limits));
  if (was) return yield* besideOthers(was, after, (others) => compared(was.limits, others));
  return "neutral";
}

/**
 * Compares a row that comes or goes with all rows that may hold in its place. Where for some orders there is none it loosens: whether
 * those are free or refused then is the engine's, so that a row which comes may let them pass, and one that goes as well.
 */
function* besideOthers(row: Row, table: Table, compare: (others: Limits) => Direction): Steps<Direction> {
  let isCovered = false;
  let tightens = false;
  let looked = 0;
  for (const other of table.values()) {
    looked += 1;
    if (looked % AT_A_TIME === 0) yield;
    if (!overlaps(other, row) || covers(row, other)) continue;
    const direction = compare(other.limits);
    if (direction === "loosens") return direction;
    tightens ||= direction === "tightens";
    isCovered ||= covers(other, row);
  }
  if (!isCovered) return "loosens";
  return tightens ? "tightens" : "neutral";
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

import { roomier } from "../../core/operations/risk-direction.ts";
import { type KeyedRow, type LimitCommand, type Succession, TableUpdate } from "../../core/operations/risk-rows.ts";
import { type Conditions, rowName, UNLIMITED } from "../../core/operations/row-names.ts";
import type { Output } from "../../core/operations/table.ts";
import { keysOf } from "../../core/values/projection.ts";

/** A risk table, as the API returns it and as a file holds it. */
export type LimitTable = Output<"getRiskTable">;
export type LimitRow = LimitTable["rows"][number];

/** Limits of a row by name: decimals as text; null is unlimited. */
export type Limits = LimitRow["limits"];

/** What a change of a limit does to orders; "new" is a limit of a new row that does neither, or that no row is there to compare with. */
export type Effect = "tighter" | "looser" | "new";

/**
 * One limit before and after; null is unlimited. Undefined (absent in JSON) is one that the row does not have, or that no row has which
 * may apply in its place.
 */
export interface LimitChange {
  readonly name: string;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly effect: Effect;
  /** The row that has `from` where the row of the change is new, and `to` where it is deleted. */
  readonly comparedWith?: Conditions | undefined;
}

/** A row that an update names, and what it changes there. */
export interface RowChange {
  readonly conditions: Conditions;
  /** Its own limits; undefined where it is not there. */
  readonly was: Limits | undefined;
  readonly is: Limits | undefined;
  readonly limits: readonly LimitChange[];
}

/** The limit before in words: `8000 (from Account=* Symbol=*)`. */
export function fromWords({ from, comparedWith }: LimitChange, was: Limits | undefined): string {
  return limitWords(from, "not there", was ? undefined : comparedWith);
}

/** The limit afterwards in words; one that a row does not name is unlimited. */
export function toWords({ to, comparedWith }: LimitChange, is: Limits | undefined): string {
  return limitWords(to, is ? UNLIMITED : "not there", is ? undefined : comparedWith);
}

function limitWords(limit: string | null | undefined, without: string, row: Conditions | undefined): string {
  const text = limit === undefined ? without : (limit ?? UNLIMITED);
  return row ? `${text} (from ${rowName(row)})` : text;
}

/** What an update changes for orders: a row that comes or goes is compared with those that apply in its place, as policies do. */
export function rowChanges(commands: readonly LimitCommand[], { projection, rows }: LimitTable): RowChange[] {
  const update = new TableUpdate(keysOf(projection), rows, commands);
  return update.named.map((named) => {
    const { from, to } = named;
    const conditions = to?.conditions ?? from?.conditions ?? {};
    return { conditions, was: from?.limits, is: to?.limits, limits: changesOf(named, [...update.successions(named)]) };
  });
}

function changesOf(named: Succession, successions: readonly Succession[]): LimitChange[] {
  const rows = successions.flatMap(({ from, to }) => [from, to]);
  const names = new Set(rows.flatMap((row) => Object.keys(row?.limits ?? {})));
  return [...names].flatMap((name) => changeOf(name, named, successions));
}

/** Two rows of which one takes the place of the other. */
interface Pair {
  readonly from: KeyedRow;
  readonly to: KeyedRow;
}

function changeOf(name: string, { from: was, to: is }: Succession, successions: readonly Succession[]): LimitChange[] {
  const shown = shownOf(name, successions);
  const room = shown ? gain(name, shown) : 0;
  const isNew = !was && is?.limits[name] !== undefined;
  const isLost = !(is || shown) && typeof was?.limits[name] === "string";
  if (room === 0 && !isNew && !isLost) return [];
  const comparedWith = was && is ? undefined : (was ? shown?.to : shown?.from)?.conditions;
  const [from, to] = [limitOf(name, was, shown?.from), limitOf(name, is, shown?.to)];
  return [{ name, from, to, effect: effectOf(room, isNew), comparedWith }];
}

/** A limit of the row itself, or of the one in its place, where what that does not name is unlimited. */
function limitOf(name: string, own: KeyedRow | undefined, other: KeyedRow | undefined): string | null | undefined {
  return own ? own.limits[name] : other && (other.limits[name] ?? null);
}

function effectOf(room: number, isNew: boolean): Effect {
  if (room < 0) return "tighter";
  return room === 0 && isNew ? "new" : "looser";
}

/**
 * Of several rows that may apply in the place of another the one by which a limit gets loosest, or, where none makes it looser, tightest;
 * undefined where then some orders are left without any.
 */
function shownOf(name: string, successions: readonly Succession[]): Pair | undefined {
  const pairs = successions.filter((one): one is Pair => one.from !== undefined && one.to !== undefined);
  const [first] = pairs;
  if (!first) return undefined;
  const loosest = pairs.reduce((a, b) => better(a, b, difference(name, a, b)), first);
  if (gain(name, loosest) > 0) return loosest;
  return pairs.length < successions.length
    ? undefined
    : pairs.reduce((a, b) => better(a, b, -difference(name, a, b)), first);
}

/** The second one if that gains; of two that are equal always the same, in whatever order the engine lists its rows. */
function better(a: Pair, b: Pair, gained: number): Pair {
  return gained > 0 || (gained === 0 && placeOf(b) < placeOf(a)) ? b : a;
}

function placeOf({ from, to }: Pair): string {
  return from.key + to.key;
}

function gain(name: string, { from, to }: Pair): number {
  return roomier(name, from.limits[name], to.limits[name]);
}

/** Above 0 where the second one gains more room. They have one of their rows in common. */
function difference(name: string, a: Pair, b: Pair): number {
  return roomier(name, b.from.limits[name], a.from.limits[name]) + roomier(name, a.to.limits[name], b.to.limits[name]);
}

import { isLowerBound } from "../../core/operations/risk-direction.ts";
import { exact } from "../../core/values/exact-decimal.ts";
import { type Conditions, type LimitRow, type LimitTable, rowKey, rowName } from "./limit-table.ts";

/** Which way a change moves a limit. A limit that goes, with its row or to unlimited, is looser. */
export type Effect = "tighter" | "looser" | "new";

/** One limit that changes; null is unlimited, and undefined (absent in JSON) is a limit that the row does not have. */
interface LimitChange {
  readonly name: string;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly effect: Effect;
}

/** One command of a risk update, and what it changes. */
export interface PlannedCommand {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly conditions: Conditions;
  readonly limits: readonly LimitChange[];
}

export interface Difference {
  readonly changes: readonly PlannedCommand[];
  /** Limits that the wanted table leaves open, in words. */
  readonly notes: readonly string[];
}

/**
 * The difference of a live table to the wanted one, which is the whole table: a row that it does not have is deleted. A limit
 * that a wanted row does not name stays as it is.
 */
export function differenceOf(live: LimitTable, wanted: LimitTable): Difference {
  const before = new Map(live.rows.map((row) => [rowKey(row.conditions), row]));
  const after = new Set(wanted.rows.map(({ conditions }) => rowKey(conditions)));
  const gone = live.rows.filter(({ conditions }) => !after.has(rowKey(conditions)));
  return {
    changes: [
      ...wanted.rows.flatMap((row) => changeOf(before.get(rowKey(row.conditions)), row)),
      ...gone.map((row) => deletion(row)),
    ],
    notes: wanted.rows.flatMap((row) => notesOf(before.get(rowKey(row.conditions)), row)),
  };
}

function changeOf(live: LimitRow | undefined, { conditions, limits }: LimitRow): PlannedCommand[] {
  const entries = Object.entries(limits);
  if (!live) {
    const added = entries.map(([name, to]): LimitChange => ({ name, to, effect: "new" }));
    return [{ type: "INSERT", conditions, limits: added }];
  }
  const changed = entries.flatMap(([name, to]) => limitChange(name, live.limits[name], to));
  return changed.length === 0 ? [] : [{ type: "UPDATE", conditions, limits: changed }];
}

function limitChange(name: string, from: string | null | undefined, to: string | null): LimitChange[] {
  if (from === undefined) return [{ name, to, effect: "new" }];
  if (sameLimit(from, to)) return [];
  return [{ name, from, to, effect: loosens(name, from, to) ? "looser" : "tighter" }];
}

/** Equal as numbers: `100` and `100.00` are the same limit. */
function sameLimit(from: string | null, to: string | null): boolean {
  if (from === null || to === null) return from === to;
  return exact(from).equals(to);
}

/** Of a minimum the smaller number allows more, of everything else the larger one. */
function loosens(name: string, from: string | null, to: string | null): boolean {
  if (to === null) return true;
  if (from === null) return false;
  const isHigher = exact(to).greaterThan(from);
  return isLowerBound(name) ? !isHigher : isHigher;
}

function deletion({ conditions, limits }: LimitRow): PlannedCommand {
  const removed = Object.entries(limits).map(([name, from]): LimitChange => ({ name, from, effect: "looser" }));
  return { type: "DELETE", conditions, limits: removed };
}

function notesOf(live: LimitRow | undefined, { conditions, limits }: LimitRow): string[] {
  return Object.entries(live?.limits ?? {}).flatMap(([name, value]) => {
    if (Object.hasOwn(limits, name) || value === null) return [];
    return [`${rowName(conditions)}: ${name} is not in the file and stays ${value}; write null to lift it`];
  });
}

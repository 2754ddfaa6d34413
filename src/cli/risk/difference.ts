import type { LimitCommand } from "../../core/operations/risk-rows.ts";
import { type Conditions, rowKey, rowName } from "../../core/operations/row-names.ts";
import { type LimitChange, type LimitRow, type LimitTable, type RowChange, rowChanges } from "./row-changes.ts";

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
  const commands: LimitCommand[] = [
    ...wanted.rows.map((row) => ({ type: "UPDATE" as const, ...row })),
    ...gone.map(({ conditions }) => ({ type: "DELETE" as const, conditions })),
  ];
  return {
    changes: rowChanges(commands, live).flatMap(plannedOf),
    notes: wanted.rows.flatMap((row) => notesOf(before.get(rowKey(row.conditions)), row)),
  };
}

function plannedOf({ conditions, was, is, limits }: RowChange): PlannedCommand[] {
  if (!is) return [{ type: "DELETE", conditions, limits }];
  if (!was) return [{ type: "INSERT", conditions, limits }];
  return limits.length === 0 ? [] : [{ type: "UPDATE", conditions, limits }];
}

function notesOf(live: LimitRow | undefined, { conditions, limits }: LimitRow): string[] {
  return Object.entries(live?.limits ?? {}).flatMap(([name, value]) => {
    if (Object.hasOwn(limits, name) || value === null) return [];
    return [`${rowName(conditions)}: ${name} is not in the file and stays ${value}; write null to lift it`];
  });
}

import type { Input } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import { type Conditions, type LimitTable, rowKey } from "../risk/limit-table.ts";

type RiskUpdate = Input<"updateRiskTable">;

/** Limits that a row should have at least; null for a row that should not be there. */
type Expected = Readonly<Record<string, string | null | undefined>> | null;

/** Whether a risk table shows what an update asked for: each row that it names, with its limits, or its absence. */
export function showsLimits({ commands }: RiskUpdate, { rows }: LimitTable): boolean {
  const actual = new Map(rows.map(({ conditions, limits }) => [rowKey(conditions), limits]));
  return [...expectedRows(commands)].every(([key, expected]) => {
    const limits = actual.get(key);
    if (expected === null || limits === undefined) return expected === null && limits === undefined;
    return Object.entries(expected).every(([name, limit]) => isSameLimit(limit, limits[name]));
  });
}

/** Whether rows that an update names should be gone: only a whole table shows that. */
export function removesRows({ commands }: RiskUpdate): boolean {
  return [...expectedRows(commands).values()].includes(null);
}

/** The net effect of all commands on a row: a later one continues from those before it. */
function expectedRows(commands: RiskUpdate["commands"]): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (const { type, conditions, limits } of commands) {
    const key = rowKey(conditions as Conditions);
    expected.set(key, type === "DELETE" ? null : { ...expected.get(key), ...limits });
  }
  return expected;
}

function isSameLimit(wanted: string | null | undefined, shown: string | null | undefined): boolean {
  if (typeof wanted !== "string" || typeof shown !== "string") return (wanted ?? null) === (shown ?? null);
  return exactSum([wanted]) === exactSum([shown]);
}

import { limitWords } from "../../../core/operations/command-words.ts";
import type { RowLimits } from "../../../core/operations/risk-rows.ts";
import { type Conditions, rowKey, rowName } from "../../../core/operations/row-names.ts";
import type { Input, Output } from "../../../core/operations/table.ts";
import { compareDecimals } from "../../../core/values/decimal-text.ts";

/** What the commands of an update want of a row; its limits are undefined where it is to be deleted. */
interface WantedRow {
  readonly conditions: Conditions;
  readonly limits: RowLimits | undefined;
}

/** Rows that a line of text names. */
const MAX_ROWS = 3;

/** What a table shows of an update, in words; undefined where it does not show all of it. */
export function shownLimits(
  { commands }: Input<"updateRiskTable">,
  { rows }: Output<"updateRiskTable">,
): string | undefined {
  const found = new Map(rows.map(({ conditions, limits }) => [rowKey(conditions), limits]));
  const wanted = wantedRows(commands);
  if (!wanted.every((row) => isShown(row, found.get(rowKey(row.conditions))))) return undefined;
  const more = wanted.length - MAX_ROWS;
  const words = wanted.slice(0, MAX_ROWS).map(rowWords).join("; ");
  return more > 0 ? `${words}; and ${more} more ${more === 1 ? "row" : "rows"}` : words;
}

/** The rows that are named, as the last commands for each want them. */
function wantedRows(commands: Input<"updateRiskTable">["commands"]): WantedRow[] {
  const wanted = new Map<string, WantedRow>();
  for (const { type, conditions, limits } of commands) {
    const key = rowKey(conditions);
    const merged = type === "DELETE" ? undefined : { ...wanted.get(key)?.limits, ...limits };
    wanted.set(key, { conditions, limits: merged });
  }
  return [...wanted.values()];
}

function isShown({ limits }: WantedRow, shown: RowLimits | undefined): boolean {
  if (!(limits && shown)) return limits === shown;
  return Object.entries(limits).every(([name, limit]) => compareDecimals(limit, shown[name] ?? null) === 0);
}

function rowWords({ conditions, limits }: WantedRow): string {
  const row = rowName(conditions);
  if (!limits) return `${row} is deleted`;
  const words = Object.entries(limits).map(([name, limit]) => `${name} is ${limitWords(limit)}`);
  return `${row}: ${words.length === 0 ? "is there" : words.join(", ")}`;
}

import { ExactDecimal } from "../../core/decimal.ts";
import type { RowChange } from "./difference.ts";
import { rowName } from "./limit-table.ts";

const FACTOR = 10;

/** Changes that are more often a slip than meant, in words: a limit that goes, and one that changes by a factor of 10 or more. */
export function bigSteps(changes: readonly RowChange[]): string[] {
  return changes.flatMap(({ conditions, limits }) =>
    limits.flatMap(({ name, from, to }) => {
      const step = bigStep(from, to);
      return step === undefined ? [] : [`${rowName(conditions)}: ${name} ${step}`];
    }),
  );
}

function bigStep(from: string | null | undefined, to: string | null | undefined): string | undefined {
  if (from === undefined || from === null) return undefined;
  if (to === undefined) return `${from} is removed with its row`;
  if (to === null) return `${from} is removed: it becomes unlimited`;
  const [before, after] = [new ExactDecimal(from).abs(), new ExactDecimal(to).abs()];
  const isTenfold =
    after.greaterThanOrEqualTo(before.times(FACTOR)) || before.greaterThanOrEqualTo(after.times(FACTOR));
  return isTenfold ? `changes by a factor of ${FACTOR} or more: ${from} to ${to}` : undefined;
}

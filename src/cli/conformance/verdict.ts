import { stripVTControlCharacters } from "node:util";
import type { ConformanceCase } from "../../testing/conformance/kits.ts";

/** What came of a case. */
export type CaseVerdict = { readonly name: string; readonly durationMs: number } & (
  | { readonly result: "passed" }
  | { readonly result: "not-applicable"; readonly reason: string }
  | { readonly result: "failed"; readonly message: string }
);

/** Runs a case. */
export async function verdictOf({ name, run }: ConformanceCase): Promise<CaseVerdict> {
  const started = performance.now();
  const took = (): { name: string; durationMs: number } => ({
    name,
    durationMs: Math.round(performance.now() - started),
  });
  try {
    const reason = await run();
    return reason === undefined ? { result: "passed", ...took() } : { result: "not-applicable", reason, ...took() };
  } catch (error) {
    // A comparison that fails is coloured on terminals that have colours.
    const message = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
    return { result: "failed", message, ...took() };
  }
}

/** How many cases came out how. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  /** How often each reason was given for what is not applicable, the most frequent first. */
  readonly reasons: Readonly<Record<string, number>>;
}

export function countsOf(verdicts: readonly CaseVerdict[]): Counts {
  const count = (result: CaseVerdict["result"]): number => verdicts.filter((one) => one.result === result).length;
  const reasons = new Map<string, number>();
  for (const one of verdicts) {
    if (one.result === "not-applicable") reasons.set(one.reason, (reasons.get(one.reason) ?? 0) + 1);
  }
  const sorted = [...reasons].toSorted(([, a], [, b]) => b - a);
  return {
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("not-applicable"),
    reasons: Object.fromEntries(sorted),
  };
}

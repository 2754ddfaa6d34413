import type { Options, Run } from "../command/definition.ts";
import { UsageError } from "../exit-codes.ts";
import { formatOf } from "../output/format.ts";
import { auditFilter } from "./filter.ts";
import { lastRequests } from "./select.ts";
import { printSelection } from "./show.ts";

/** `audit tail`: the last requests of a trail. */
export const run: Run = async ({ arguments: { file = "" }, options }) => {
  await printSelection(
    await lastRequests(String(file), linesOf(options), auditFilter(options, Date.now())),
    formatOf(options),
  );
  return undefined;
};

/** How many requests are shown, of the option `--lines`. */
export function linesOf({ lines = "10" }: Options): number {
  if (typeof lines === "string" && /^\d{1,6}$/.test(lines)) return Number(lines);
  throw new UsageError(`--lines: must be a whole number from 0 to 999999, is ${JSON.stringify(lines)}`);
}

import type { Options, Run } from "../command/definition.ts";
import { UsageError } from "../exit-codes.ts";
import { type Format, formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { say, warn } from "../terminal/say.ts";
import { auditFilter } from "./filter.ts";
import { REQUEST_COLUMNS, requestRow, unsettledSummary } from "./request-row.ts";
import { lastRequests, type Selection, selectRequests } from "./select.ts";

/** `audit show`: the requests of audit files, each with what became of it. */
export const showRequests: Run = async ({ arguments: { file = [] }, options }) => {
  const selection = await selectRequests([file].flat(), auditFilter(options, Date.now()));
  await printSelection(selection, formatOf(options));
};

/** Prints requests, and what the reader should know about them. */
async function printSelection({ requests, warnings }: Selection, format: Format): Promise<void> {
  for (const warning of warnings) warn(warning);
  await printRows({ value: requests, rows: requests.map(requestRow), columns: REQUEST_COLUMNS }, format);
  const unsettled = unsettledSummary(requests);
  if (unsettled !== undefined) say(unsettled);
}

/** `audit tail`: the last requests of a trail. */
export const showLastRequests: Run = async ({ arguments: { file = "" }, options }) => {
  await printSelection(
    await lastRequests(String(file), lineCountOf(options), auditFilter(options, Date.now())),
    formatOf(options),
  );
};

/** How many requests are shown, of the option `--lines`. */
export function lineCountOf({ lines = "10" }: Options): number {
  if (typeof lines === "string" && /^\d{1,6}$/.test(lines)) return Number(lines);
  throw new UsageError(`--lines: must be a whole number from 0 to 999999, is ${JSON.stringify(lines)}`);
}

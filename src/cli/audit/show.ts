import type { Run } from "../command/definition.ts";
import { type Format, formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { say, warn } from "../terminal/say.ts";
import { auditFilter } from "./filter.ts";
import { REQUEST_COLUMNS, requestRow, unsettledSummary } from "./request-row.ts";
import { type Selection, selectRequests } from "./select.ts";

/** `audit show`: the requests of audit files, each with what became of it. */
export const run: Run = async ({ arguments: { file = [] }, options }) => {
  const selection = await selectRequests([file].flat(), auditFilter(options, Date.now()));
  await printSelection(selection, formatOf(options));
  return undefined;
};

/** Prints requests, and what the reader should know about them. */
export async function printSelection({ requests, warnings }: Selection, format: Format): Promise<void> {
  for (const warning of warnings) warn(warning);
  await printRows({ value: requests, rows: requests.map(requestRow), columns: REQUEST_COLUMNS }, format);
  const unsettled = unsettledSummary(requests);
  if (unsettled !== undefined) say(unsettled);
}

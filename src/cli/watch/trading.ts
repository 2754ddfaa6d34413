import type { AdminClient } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { nodesThatHold, warnOfWildcards } from "../operations/path.ts";
import { type Change, changesOf } from "./change.ts";
import { type Watched, watch } from "./watch.ts";

export type TradingStatus = Output<"getTradingStatus">;

/** Reads the kill switch at paths. */
export function readStatuses(
  client: Pick<AdminClient, "getTradingStatus">,
  paths: readonly string[],
  call: { readonly signal?: AbortSignal } = {},
): Promise<TradingStatus[]> {
  return Promise.all(paths.map((projectionPath) => client.getTradingStatus({ projectionPath }, call)));
}

/** A path as it is shown; the root has no name of its own. */
function pathName(path: string): string {
  return path === "" ? "system-wide" : path;
}

/** Where trading was halted or resumed, or the reason is another. */
export function tradingChanges(before: readonly TradingStatus[], now: readonly TradingStatus[]): Change[] {
  return changesOf(before, now, {
    nameOf: ({ projectionPath }) => pathName(projectionPath),
    fieldsOf: ({ halted, reason }) => ({ trading: halted ? "halted" : "not halted", reason }),
  });
}

/** Where trading is halted, in words. */
export function tradingSummary(statuses: readonly TradingStatus[]): string {
  return statuses
    .map(({ projectionPath, halted, reason }) => {
      const why = halted && reason !== null ? ` (${reason})` : "";
      return `${pathName(projectionPath)}: ${halted ? "halted" : "not halted"}${why}`;
    })
    .join("; ");
}

/** `trading watch`: halts and resumptions, system-wide or at paths and at what holds them. */
export const run: Run = async ({ arguments: { path = [] }, options }) => {
  const named = [path].flat();
  for (const projectionPath of named) warnOfWildcards({ projectionPath });
  const { polling } = await connect(options);
  const paths = [...new Set(["", ...named.flatMap((own) => [...nodesThatHold(own), own])])];
  const statuses: Watched<TradingStatus[]> = {
    read: (call) => readStatuses(polling, paths, call),
    summaryOf: tradingSummary,
    changesOf: tradingChanges,
  };
  await watch(statuses, options);
};

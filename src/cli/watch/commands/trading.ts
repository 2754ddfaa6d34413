import type { Run } from "../../command/definition.ts";
import { connect } from "../../connection/connect.ts";
import { watchOptionsOf } from "../options.ts";
import { pathWithParents } from "../paths.ts";
import { readStatuses, type TradingStatus, tradingChanges, tradingSummary } from "../trading.ts";
import { type Watched, watch } from "../watch.ts";

/** `trading watch`: halts and resumptions, system-wide or at paths and at what holds them. */
export const run: Run = async ({ arguments: { path = [] }, options }) => {
  const { polling } = await connect(options);
  const paths = [...new Set(["", ...[path].flat().flatMap(pathWithParents)])];
  const statuses: Watched<TradingStatus[]> = {
    read: (call) => readStatuses(polling, paths, call),
    summaryOf: tradingSummary,
    changesOf: tradingChanges,
  };
  await watch(statuses, watchOptionsOf(options));
  return undefined;
};

import type { AdminClient } from "../../client/client.ts";
import { givenReason } from "../../core/conventions.ts";
import type { Output } from "../../core/operations/table.ts";
import { connect } from "../connection/connect.ts";
import type { Run } from "../framework/definition.ts";
import { readHalts } from "../halts/halts.ts";
import { nodesThatHold, warnOfWildcards } from "../operations/path.ts";
import { type Change, changesOf } from "./change.ts";
import { type Watched, watch } from "./watch.ts";

export type TradingStatus = Output<"getTradingStatus">;

/** The kill switch at the root and at paths that were named, and what else is halted. */
interface TradingState {
  readonly statuses: readonly TradingStatus[];
  /** Says in a sentence what the list of halts may lack. */
  readonly lacks: string | undefined;
}

/** Reads the kill switch at paths, and the list of halts: nodes that nobody named are halted, too. */
async function readTrading(
  client: Pick<AdminClient, "getTradingStatus" | "listHalts">,
  paths: readonly string[],
  call: { readonly signal?: AbortSignal },
): Promise<TradingState> {
  const statuses = await Promise.all(paths.map((projectionPath) => client.getTradingStatus({ projectionPath }, call)));
  const { halts, lacks } = await readHalts(client, call);
  const others = halts.filter(({ projectionPath }) => !paths.includes(projectionPath));
  return {
    statuses: [...statuses, ...others.map(({ projectionPath, reason }) => ({ projectionPath, halted: true, reason }))],
    lacks,
  };
}

/** A path as it is shown; the root has no name. */
function pathName(path: string): string {
  return path === "" ? "system-wide" : path;
}

/** Where trading was halted or resumed, or the reason has changed. A path that is not in a list is not halted. */
export function tradingChanges(before: readonly TradingStatus[], now: readonly TradingStatus[]): Change[] {
  return changesOf(withPathsOf(now, before), withPathsOf(before, now), {
    nameOf: ({ projectionPath }) => pathName(projectionPath),
    fieldsOf: ({ halted, reason }) => ({ trading: halted ? "halted" : "not halted", reason }),
  });
}

function withPathsOf(others: readonly TradingStatus[], own: readonly TradingStatus[]): TradingStatus[] {
  const known = new Set(own.map(({ projectionPath }) => projectionPath));
  const missing = others.filter(({ projectionPath }) => !known.has(projectionPath));
  return [...own, ...missing.map(({ projectionPath }) => ({ projectionPath, halted: false, reason: null }))];
}

/** Where trading is halted, in words, and what may be missing. */
function tradingSummary({ statuses, lacks }: TradingState): string {
  const words = statuses
    .map(({ projectionPath, halted, reason }) => {
      const given = givenReason(reason);
      const why = halted && given !== null ? ` (${given})` : "";
      return `${pathName(projectionPath)}: ${halted ? "halted" : "not halted"}${why}`;
    })
    .join("; ");
  return lacks === undefined ? words : `${words} (${lacks})`;
}

/** `trading watch`: halts and resumptions, system-wide, of nodes, and at paths that are named and at what holds them. */
export const run: Run = async ({ arguments: { path = [] }, options }) => {
  const named = [path].flat();
  for (const projectionPath of named) warnOfWildcards({ projectionPath });
  const { polling } = await connect(options);
  const paths = [...new Set(["", ...named.flatMap((own) => [...nodesThatHold(own), own])])];
  const trading: Watched<TradingState> = {
    read: (call) => readTrading(polling, paths, call),
    summaryOf: tradingSummary,
    changesOf: (before, now) => tradingChanges(before.statuses, now.statuses),
  };
  await watch(trading, options);
};

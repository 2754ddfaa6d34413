import type { AdminClient } from "../../client/client.ts";
import { isAt } from "../../client/positions-at.ts";
import { placeOf } from "../../core/operations/command-words.ts";
import type { Output } from "../../core/operations/table.ts";
import type { Options } from "../framework/definition.ts";
import { type Halt, readHalts, warnOfLost } from "../halts/halts.ts";
import { type Column, SHORT, UNCUT } from "../output/columns.ts";
import { formatOf, isForPeople } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { printInfo } from "../terminal/messages.ts";
import { warnIfUnknown } from "./advice.ts";
import { nodesThatHold, segmentsOf } from "./path.ts";
import { stateFields } from "./state.ts";

type State = Output<"getTradingStatus">;

/** `2026-11-26T21:30` and a sign that it is cut. */
const TO_THE_MINUTE = 17;

const COLUMNS: readonly Column[] = [
  { name: "projectionPath", kind: "text", keep: UNCUT },
  { name: "halted", kind: "text", keep: UNCUT },
  { name: "reason", kind: "text", keep: SHORT },
  { name: "by", kind: "text", keep: SHORT },
  { name: "since", kind: "time", keep: TO_THE_MINUTE },
];

/**
 * Prints the state of a path and of every node that holds it: orders at the path are refused when any of them is halted
 * (decision D-ENG 7), so "not halted" of the path alone would be a false comfort.
 */
export async function printBranch(client: AdminClient, path: string, options: Options): Promise<void> {
  // The engine says first what is wrong with a path.
  const state = await client.getTradingStatus({ projectionPath: path });
  const [holders, list] = await Promise.all([statesOfHolders(client, path), readHalts(client)]);
  const [own, ancestors] = [withHalt(state, list.halts), holders.map((holder) => withHalt(holder, list.halts))];
  const rows = [...ancestors, own].map(stateFields);
  const format = formatOf(options);
  await printRows({ value: { ...own, ancestors }, rows, columns: COLUMNS }, format);
  warnOfLost(list.lost);
  const refusal = refusalAt(path, [...ancestors, own]);
  if (refusal !== undefined || isForPeople(format)) printInfo(refusal ?? `orders at ${path} are accepted`);
  if (refusal === undefined) await warnIfUnknown(client, path);
}

/** A state with since when it is halted and by whom, where the gateway knows; another path of the same node is the same halt. */
function withHalt(state: State, halts: readonly Halt[]): State & Pick<Halt, "since" | "by"> {
  const found = state.halted
    ? halts.find(({ projectionPath }) => isSameNode(projectionPath, state.projectionPath))
    : undefined;
  return { ...state, since: found?.since ?? null, by: found?.by ?? null };
}

/** The engine does not order the segments of a path. */
export function isSameNode(left: string, right: string): boolean {
  return isAt(left, segmentsOf(right)) && isAt(right, segmentsOf(left));
}

/** States of the nodes that hold a node, the root first. */
export async function statesOfHolders(client: AdminClient, path: string): Promise<State[]> {
  return Promise.all(nodesThatHold(path).map((projectionPath) => client.getTradingStatus({ projectionPath })));
}

/** Says which of the nodes keep orders at a path from being accepted; undefined when none does. */
export function refusalAt(path: string, states: readonly State[]): string | undefined {
  const halted = states.filter((state) => state.halted).map(({ projectionPath }) => placeOf(projectionPath));
  return halted.length === 0 ? undefined : `orders at ${path} are refused: halted ${halted.join(", ")}`;
}

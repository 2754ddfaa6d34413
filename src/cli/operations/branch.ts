import type { AdminClient } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import type { Options } from "../command/definition.ts";
import { textColumns } from "../output/columns.ts";
import { formatOf, isForPeople } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { printInfo } from "../terminal/messages.ts";
import { warnIfUnknown } from "./advice.ts";
import { placeOf } from "./describe-command.ts";
import { nodesThatHold } from "./path.ts";

type State = Output<"getTradingStatus">;

/**
 * Prints the state of a path and of every node that holds it: orders at the path are refused when any of them is halted
 * (decision D-ENG 7), so "not halted" of the path alone would be a false comfort.
 */
export async function printBranch(client: AdminClient, path: string, options: Options): Promise<void> {
  const own = await client.getTradingStatus({ projectionPath: path });
  const ancestors = await statesOfHolders(client, path);
  const rows = [...ancestors, own].map((state) => ({
    ...state,
    projectionPath: state.projectionPath || "(system-wide)",
  }));
  const columns = textColumns("projectionPath", "halted", "reason");
  const format = formatOf(options);
  await printRows({ value: { ...own, ancestors }, rows, columns }, format);
  const refusal = refusalAt(path, [...ancestors, own]);
  if (refusal !== undefined || isForPeople(format)) printInfo(refusal ?? `orders at ${path} are accepted`);
  if (refusal === undefined) await warnIfUnknown(client, path);
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

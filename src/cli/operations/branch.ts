import type { AdminClient } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import { parseProjectionPath, printProjectionPath } from "../../core/values/projection.ts";
import type { Options } from "../command/definition.ts";
import { formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { say } from "../terminal/say.ts";
import { placeOf } from "./deed.ts";

type State = Output<"getTradingStatus">;

/** Nodes that are read at most: all that hold a path of five segments. */
const MAX_NODES = 32;

/**
 * Prints the state of a path and of every node that holds it: orders at the path are refused when any of them is halted
 * (decision D-ENG 7), so "not halted" of the path alone would be a false comfort.
 */
export async function printBranch(client: AdminClient, path: string, options: Options): Promise<void> {
  const holders = nodesThatHold(path);
  const read = (projectionPath: string): Promise<State> => client.getTradingStatus({ projectionPath });
  const [own, ...ancestors] = await Promise.all([read(path), ...holders.slice(0, MAX_NODES).map(read)]);
  if (!own) return;
  const rows = [...ancestors, own].map((state) => ({
    ...state,
    projectionPath: state.projectionPath || "(system-wide)",
  }));
  const columns = ["projectionPath", "halted", "reason"].map((name) => ({ name, kind: "text" }) as const);
  await printRows({ value: { ...own, ancestors }, rows, columns }, formatOf(options));
  const halted = [...ancestors, own].filter((state) => state.halted);
  if (holders.length > MAX_NODES) say(`${holders.length - MAX_NODES} further nodes hold this path and were not read`);
  const places = halted.map(({ projectionPath }) => placeOf(projectionPath));
  say(
    places.length === 0
      ? `orders at ${path} are accepted`
      : `orders at ${path} are refused: halted ${places.join(", ")}`,
  );
}

/** Paths of the nodes that hold a node, the root first: those with some of its segments, as the engine does not order them. */
export function nodesThatHold(path: string): string[] {
  const segments = parseProjectionPath(path);
  let subsets: (typeof segments)[] = [[]];
  for (const segment of segments) subsets = [...subsets, ...subsets.map((subset) => [...subset, segment])];
  return subsets
    .filter(({ length }) => length < segments.length)
    .toSorted((a, b) => a.length - b.length)
    .map(printProjectionPath);
}

import type { AdminClient, CallOptions } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import { parseProjectionPath, printProjection } from "../../core/values/projection.ts";

export type Position = Output<"listPositions">[number];

/** The position of one node, or null where the engine has none. */
export async function positionAt(client: AdminClient, path: string, options?: CallOptions): Promise<Position | null> {
  const projection = printProjection(parseProjectionPath(path).map(({ key }) => key));
  const positions = await client.listPositions({ projection }, options);
  return positions.find((position) => position.projection === path) ?? null;
}

import type { AdminClient } from "../../client/client.ts";
import type { Output } from "../../core/operations.ts";
import { parseProjectionPath, printProjection } from "../../core/projection.ts";
import type { Options } from "../command/definition.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import { exactSum } from "../output/totals.ts";
import type { OperationInput } from "./input.ts";
import type { Preview } from "./preview.ts";

type Position = Output<"listPositions">[number];

/** What an adjustment would do to the position of a node; refuses one whose size is not what `--expect` says. */
export async function previewPosition(
  client: AdminClient,
  input: OperationInput,
  { expect }: Options,
): Promise<Preview> {
  const now = await positionAt(client, String(input.projectionPath));
  const size = now?.size ?? "0";
  if (typeof expect === "string" && exactSum([size]) !== exactSum([expect])) {
    throw new NotConfirmedByUser(`the size is ${size} now, not ${expect}`);
  }
  const then = input.relative === true ? exactSum([size, input.size]) : String(input.size);
  const others = (["averageCost", "realizedPnL"] as const).filter((field) => input[field] !== undefined);
  return {
    lines: [
      `position ${input.projectionPath}`,
      `  size: ${now ? size : "no position"} -> ${then}`,
      ...others.map((field) => `  ${field}: ${now?.[field] ?? "-"} -> ${input[field]}`),
    ],
    drastic: [],
  };
}

/** The position of one node, or undefined where the engine has none. */
export async function positionAt(client: AdminClient, projectionPath: string): Promise<Position | undefined> {
  const projection = printProjection(parseProjectionPath(projectionPath).map(({ key }) => key));
  const positions = await client.listPositions({ projection });
  return positions.find((position) => position.projection === projectionPath);
}

import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { Options } from "../command/definition.ts";
import { NotConfirmedByUser, outcomeOf } from "../exit-codes.ts";
import { exactSum } from "../output/decimal.ts";
import type { OperationInput } from "./input.ts";
import { type Position, positionAt } from "./position-at.ts";
import type { Preview } from "./preview-shape.ts";

/** What an adjustment would do to the position of a node; refuses one whose size is not what `--expect` says. */
export async function previewPosition(
  client: AdminClient,
  input: OperationInput,
  { expect }: Options,
): Promise<Preview> {
  const path = String(input.projectionPath);
  const now = await position(client, path, expect !== undefined);
  const size = now === undefined ? "cannot be shown" : (now?.size ?? "0");
  if (typeof expect === "string" && exactSum([size]) !== exactSum([expect])) {
    throw new NotConfirmedByUser(`the size is ${size} now, not ${expect}`);
  }
  const change = input.relative === true ? `changed by ${input.size}` : String(input.size);
  const then = input.relative === true && now !== undefined ? exactSum([size, input.size]) : change;
  const others = (["averageCost", "realizedPnL"] as const).filter((field) => input[field] !== undefined);
  return {
    now,
    lines: [
      `position ${path}`,
      `  size: ${size} -> ${then}`,
      ...others.map((field) => `  ${field}: ${now?.[field] ?? "-"} -> ${input[field]}`),
    ],
    drastic: [],
  };
}

/** Undefined where the engine lists no positions of such nodes, which keeps nobody from adjusting one unless they must know. */
async function position(client: AdminClient, path: string, isNeeded: boolean): Promise<Position | null | undefined> {
  try {
    return await positionAt(client, path);
  } catch (error) {
    if (!isNeeded && error instanceof AdminClientError && outcomeOf(error) === "rejected") return undefined;
    throw error;
  }
}

import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { printProjection } from "../../core/values/projection.ts";
import { warn } from "../terminal/say.ts";
import type { CommandResult } from "./deed.ts";
import { segmentsOf } from "./path.ts";
import { positionsAt } from "./positions-at.ts";

/** Says after a halt that the engine knows nothing at its path: a name that is mistyped halts nothing that trades. */
export async function adviseAfterStop(
  client: AdminClient,
  { operation, input, outcome }: CommandResult,
): Promise<void> {
  const { projectionPath } = input;
  const isHalt = operation === "haltTrading" && (outcome === "done" || outcome === "not-proven");
  if (!isHalt || typeof projectionPath !== "string" || projectionPath === "") return;
  await warnIfUnknown(client, projectionPath, "nothing else was halted");
}

/**
 * Warns of a path at which the engine shows nothing: it accepts any, and a name that is mistyped looks like one that is not halted. Says
 * nothing where the engine lists no positions by the keys of the path, and so cannot tell.
 */
export async function warnIfUnknown(client: AdminClient, path: string, besides?: string): Promise<void> {
  const positions = await positionsAt(client, path);
  if (positions === undefined || positions.length > 0 || (await hasLimit(client, path))) return;
  const advice = ["check how it is spelt", ...(besides === undefined ? [] : [besides])].join("; ");
  warn(`the engine shows no position, limit or open order at ${path}: ${advice}`);
}

/** Whether a risk table has a row for a node. The row of `*` is for all others, and for no node of that name. */
async function hasLimit(client: AdminClient, path: string): Promise<boolean> {
  const wanted = segmentsOf(path);
  if (wanted.some(({ value }) => value === "*")) return false;
  try {
    const { rows } = await client.getRiskTable({ projection: printProjection(wanted.map(({ key }) => key)) });
    return rows.some(({ conditions }) => wanted.every(({ key, value }) => conditions[key] === value));
  } catch (error) {
    if (error instanceof AdminClientError) return false;
    throw error;
  }
}

import {
  ANY_PROJECTION_KEY,
  type PathSegment,
  parseProjectionPath,
  printProjection,
} from "../core/values/projection.ts";
import type { AdminClient } from "./client.ts";
import { AdminClientError } from "./errors.ts";
import { positionsAt } from "./positions-at.ts";

type Client = Pick<AdminClient, "listPositions" | "getRiskTable">;

/** A warning about a path with a `*`: it is sent as it is, as an engine may have a node of that name. Undefined for other paths. */
export function wildcardAdvice(path: string): string | undefined {
  if (!path.includes("*")) return undefined;
  return `a path has no wildcards: ${path} is the node of exactly this name, and no other`;
}

/**
 * A warning about a path at which the engine shows nothing: it accepts any, and a name that is mistyped looks like one that is not halted.
 * Undefined where it shows something, or lists no positions by the keys of the path and so cannot tell.
 *
 * @throws ProjectionSyntaxError for what is not a projection path.
 */
export async function unknownNodeAdvice(client: Client, path: string): Promise<string | undefined> {
  const segments = parseProjectionPath(path, ANY_PROJECTION_KEY);
  const positions = await positionsAt(client, segments);
  if (positions === undefined || positions.length > 0 || (await hasLimit(client, segments))) return undefined;
  return `the engine shows no position, limit or open order at ${path}: check how it is spelt`;
}

/** Whether a risk table has a row for a node. The row of `*` is for all others, and for no node of that name. */
async function hasLimit(client: Client, wanted: readonly PathSegment[]): Promise<boolean> {
  if (wanted.some(({ value }) => value === "*")) return false;
  try {
    const { rows } = await client.getRiskTable({ projection: printProjection(wanted.map(({ key }) => key)) });
    return rows.some(({ conditions }) => wanted.every(({ key, value }) => conditions[key] === value));
  } catch (error) {
    if (error instanceof AdminClientError) return false;
    throw error;
  }
}

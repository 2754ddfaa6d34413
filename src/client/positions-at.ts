import type { Output } from "../core/operations/table.ts";
import {
  ANY_PROJECTION_KEY,
  type PathSegment,
  ProjectionSyntaxError,
  parseProjectionPath,
  positionFilter,
  printProjection,
  SYMBOL_KEYS,
} from "../core/values/projection.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { AdminClientError } from "./errors.ts";

/**
 * All positions at a node and below, by its keys and the symbol. Undefined where the engine cannot tell: it has no such projection, does
 * not respond, or its paths are not understood.
 */
export async function positionsAt(
  client: Pick<AdminClient, "listPositions">,
  segments: readonly PathSegment[],
  options?: CallOptions,
): Promise<Output<"listPositions"> | undefined> {
  const filters = Object.fromEntries(segments.map(({ key, value }) => [positionFilter(key), value]));
  try {
    const positions = await client.listPositions({ projection: bySymbol(segments), ...filters }, options);
    return positions.filter(({ projection }) => isAt(parseProjectionPath(projection, ANY_PROJECTION_KEY), segments));
  } catch (error) {
    if (error instanceof AdminClientError || error instanceof ProjectionSyntaxError) return undefined;
    throw error;
  }
}

/** The projection of a path's keys, with a symbol key: without one there are no positions (decision D-ENG 9). */
function bySymbol(segments: readonly PathSegment[]): string {
  const keys = segments.map(({ key }) => key);
  const isComplete = keys.some((key) => SYMBOL_KEYS.some((known) => known === key));
  return printProjection(isComplete ? keys : [...keys, "Symbol"]);
}

/** Whether a node has all segments of a path, whatever their order. */
function isAt(node: readonly PathSegment[], path: readonly PathSegment[]): boolean {
  return path.every(({ key, value }) => node.some((segment) => segment.key === key && segment.value === value));
}

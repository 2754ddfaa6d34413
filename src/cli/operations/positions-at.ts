import type { AdminClient, CallOptions } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { type PathSegment, positionFilter, printProjection, SYMBOL_KEYS } from "../../core/values/projection.ts";
import { UsageError } from "../exit-codes.ts";
import { segmentsOf } from "./path.ts";
import type { Position } from "./proof.ts";

/**
 * All positions at a node and below, by its keys and the symbol. Undefined where the engine cannot tell: it has no such projection, does
 * not respond, or its paths are not understood.
 */
export async function positionsAt(
  client: AdminClient,
  path: string,
  options?: CallOptions,
): Promise<Position[] | undefined> {
  const segments = segmentsOf(path);
  const filters = Object.fromEntries(segments.map(({ key, value }) => [positionFilter(key), value]));
  try {
    const positions = await client.listPositions({ projection: bySymbol(segments), ...filters }, options);
    return positions.filter(({ projection }) => isAt(segmentsOf(projection), segments));
  } catch (error) {
    if (error instanceof AdminClientError || error instanceof UsageError) return undefined;
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

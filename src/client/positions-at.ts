import type { Output } from "../core/operations/table.ts";
import {
  ANY_PROJECTION_KEY,
  type PathSegment,
  ProjectionSyntaxError,
  parseProjectionPath,
  positionFilter,
} from "../core/values/projection.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { byInstrument } from "./engine-offer.ts";
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
    const projection = byInstrument(segments.map(({ key }) => key));
    const positions = await client.listPositions({ projection, ...filters }, options);
    return positions.filter(({ projection }) => isAt(projection, segments));
  } catch (error) {
    if (error instanceof AdminClientError || error instanceof ProjectionSyntaxError) return undefined;
    throw error;
  }
}

/**
 * Whether a path has all segments of a node, whatever their order.
 *
 * @throws ProjectionSyntaxError for a text that is not a projection path.
 */
export function isAt(path: string, node: readonly PathSegment[]): boolean {
  const own = parseProjectionPath(path, ANY_PROJECTION_KEY);
  return node.every(({ key, value }) => own.some((segment) => segment.key === key && segment.value === value));
}

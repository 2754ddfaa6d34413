import { wildcardAdvice } from "../../client/node-advice.ts";
import {
  ANY_PROJECTION_KEY,
  type PathSegment,
  ProjectionSyntaxError,
  parseProjectionPath,
  positionFilter,
  printProjectionPath,
  STANDARD_PROJECTION_KEYS,
} from "../../core/values/projection.ts";
import { UsageError } from "../exit-codes.ts";
import { printInfo, warn } from "../terminal/messages.ts";

/**
 * The segments of a projection path as it was typed; the API decides which keys exist.
 *
 * @throws UsageError for a text that is not a projection path.
 */
export function segmentsOf(path: string): PathSegment[] {
  try {
    return parseProjectionPath(path, ANY_PROJECTION_KEY);
  } catch (error) {
    if (!(error instanceof ProjectionSyntaxError)) throw error;
    throw new UsageError(`${JSON.stringify(path)} is not a projection path: ${error.message}; nothing was sent`);
  }
}

/** Nodes that are read at most: all that hold a path of five segments. */
const MAX_NODES = 32;

/**
 * Paths of the nodes that hold a node, the root first: those with some of its segments, as the engine does not order them. A halt
 * of any of them stops orders there (decision D-ENG 7).
 */
export function nodesThatHold(path: string): string[] {
  const segments = segmentsOf(path);
  let subsets: (typeof segments)[] = [[]];
  for (const segment of segments) subsets = [...subsets, ...subsets.map((subset) => [...subset, segment])];
  const holders = subsets
    .filter(({ length }) => length < segments.length)
    .toSorted((a, b) => a.length - b.length)
    .map(printProjectionPath);
  if (holders.length > MAX_NODES)
    printInfo(`${holders.length - MAX_NODES} further nodes hold this path and are not read`);
  return holders.slice(0, MAX_NODES);
}

const FILTERS: ReadonlySet<string> = new Set(STANDARD_PROJECTION_KEYS.map(positionFilter));

/** Says of names with a `*` that they mean no others: it is sent as it is, as an engine may have a node of that name, which a stop is for. */
export function warnOfWildcards(input: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(input)) {
    const advice = typeof value === "string" ? wildcardsIn(field, value) : undefined;
    if (advice !== undefined) warn(advice);
  }
}

function wildcardsIn(field: string, value: string): string | undefined {
  if (field === "projectionPath") return wildcardAdvice(value);
  if (!FILTERS.has(field) || !value.includes("*")) return undefined;
  return `a filter has no wildcards: ${field} ${value} is exactly this name, and no other`;
}

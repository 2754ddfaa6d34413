import {
  type PathSegment,
  type ProjectionKeys,
  ProjectionSyntaxError,
  parseProjectionPath,
  printProjection,
  printProjectionPath,
} from "../../core/values/projection.ts";
import { EngineRejection } from "../engine.ts";

/** Values of an order by projection key; a key without a value is absent. */
export type Attributes = Readonly<Record<string, string>>;

/** Path of the node that an order belongs to in a projection; `undefined` when the order lacks one of its keys. */
export function nodePath(keys: readonly string[], attributes: Attributes): string | undefined {
  const segments: PathSegment[] = [];
  for (const key of keys) {
    const value = attributes[key];
    if (value === undefined) return undefined;
    segments.push({ key, value });
  }
  return printProjectionPath(segments);
}

/** The keys in one order for all: projections with equal key sets group orders into the same nodes. */
export function keySet(keys: readonly string[]): string {
  return printProjection(keys.toSorted());
}

/** Parses a path from a request; a malformed one is rejected with the parser's reason. */
export function readPath(path: string, known: ProjectionKeys): PathSegment[] {
  try {
    return parseProjectionPath(path, known);
  } catch (error) {
    if (!(error instanceof ProjectionSyntaxError)) throw error;
    throw new EngineRejection("rejected", `projection path ${JSON.stringify(path)}: ${error.message}`);
  }
}

export function attributesOf(segments: readonly PathSegment[]): Attributes {
  return Object.fromEntries(segments.map(({ key, value }) => [key, value]));
}

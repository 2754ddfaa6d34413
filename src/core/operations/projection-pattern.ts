import type { ProjectionKeys } from "../values/projection.ts";

/** A value of a path, to its closing bracket: not empty, and a `]` in it is not followed by `/`. */
const VALUE = "\\[(([^\\]]|\\]+[^\\]/])+\\]*|\\]+)\\]";

/**
 * Regular expression for projections, for readers of schemas: without what RE2 (Go) and Rust do not know, such as a look ahead. It
 * cannot say that no key comes twice.
 */
export function projectionPattern(keys: ProjectionKeys): string {
  return pathOf(oneOf(keys));
}

/** Regular expression for projection paths, as that for projections. */
export function projectionPathPattern(keys: ProjectionKeys): string {
  return pathOf(`${oneOf(keys)}${VALUE}`);
}

function oneOf(keys: ProjectionKeys): string {
  return `(${[...keys].map((key) => key.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})`;
}

function pathOf(step: string): string {
  return `^(${step}(/${step})*)?$`;
}

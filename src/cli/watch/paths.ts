import { ProjectionSyntaxError, parseProjectionPath, printProjectionPath } from "../../core/values/projection.ts";

/** A path and those that hold it, the root first: orders at the path stop at a halt of any of them. */
export function pathWithParents(path: string): string[] {
  try {
    const segments = parseProjectionPath(path);
    return [...segments.map((_, index) => printProjectionPath(segments.slice(0, index))), path];
  } catch (error) {
    // A key that only the installation knows: the API says what is wrong with the path itself.
    if (error instanceof ProjectionSyntaxError) return ["", path];
    throw error;
  }
}

import type { Position } from "./security-file-error.ts";

/** Makes a function that turns an offset into `text` into its line and column. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0];
  for (const lineEnd of text.matchAll(/\r\n?|\n/g)) starts.push(lineEnd.index + lineEnd[0].length);
  return (offset) => {
    const line = lineOf(starts, offset);
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

/** Number of line starts that are not behind `offset`, by bisection. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

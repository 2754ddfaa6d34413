/** A place in a file; lines and columns count from 1. */
export interface FilePosition {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** A message that starts with its place: `file:line:column: reason`, or `file: reason` for a file as a whole. */
export function located(file: string, position: FilePosition | undefined, reason: string): string {
  return position ? `${file}:${position.line}:${position.column}: ${reason}` : `${file}: ${reason}`;
}

/**
 * An access file cannot be used: it is missing, not well-formed, or not what its format says. The message is for the
 * operator (`file:line:column: reason`) and never holds a password.
 */
export class SecurityFileError extends Error {
  constructor(file: string, position: FilePosition | undefined, reason: string, options?: ErrorOptions) {
    super(located(file, position, reason), options);
    this.name = "SecurityFileError";
  }
}

export function positionsIn(text: string): (offset: number) => FilePosition {
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

/** A name in quotes for a message; control characters are escaped, as messages end up in logs and terminals. */
export function quoted(name: string): string {
  return JSON.stringify(name).replace(/\p{Cc}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

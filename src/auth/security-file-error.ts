/** A place in a file; lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A message that starts with its place: `file:line:column: reason`, or `file: reason` for a file as a whole. */
export function located(file: string, position: Position | undefined, reason: string): string {
  return position ? `${file}:${position.line}:${position.column}: ${reason}` : `${file}: ${reason}`;
}

/**
 * An access file cannot be used: it is missing, not well-formed, or not what its format says. The message is for the
 * operator (`file:line:column: reason`) and never holds a password.
 */
export class SecurityFileError extends Error {
  constructor(file: string, position: Position | undefined, reason: string, options?: ErrorOptions) {
    super(located(file, position, reason), options);
    this.name = "SecurityFileError";
  }
}

/** The audit file cannot be used. `message` is meant for the operator and names the file; `cause` is the system's error. */
export class AuditFileError extends Error {
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.name = "AuditFileError";
  }
}

/** What went wrong, in the words of the system. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a file or folder is not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

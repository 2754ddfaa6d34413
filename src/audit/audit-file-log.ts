/** Where the audit file says what an operator should know: what it found when it was opened, and its rotations. */
export interface AuditFileLog {
  info(message: string, details: Readonly<Record<string, unknown>>): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

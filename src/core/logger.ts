/**
 * Log for operators. A pino or winston logger fits as it is, and so does `console`. Messages are self-contained; `details` hold the
 * same data in structured form, and no secrets.
 */
export interface Logger {
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** A log that collects warnings and errors in memory. */
export function keptLog(): { readonly log: Logger; readonly warnings: string[]; readonly problems: string[] } {
  const warnings: string[] = [];
  const problems: string[] = [];
  const log: Logger = {
    info: () => {},
    warn: (message) => void warnings.push(message),
    error: (message) => void problems.push(message),
  };
  return { log, warnings, problems };
}

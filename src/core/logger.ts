/**
 * Where the library writes what operators should know. A logger of winston fits as it is, and so does `console`; pino drops the details
 * unless they come first. Messages are complete in themselves; `details` hold the same for machines, and nothing secret.
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

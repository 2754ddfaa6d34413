/**
 * Where the library writes what people who operate it should know. A logger of pino or winston fits as it is, and so does
 * `console`. Messages are complete in themselves; `details` hold the same for machines, and nothing secret.
 */
export interface Logger {
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

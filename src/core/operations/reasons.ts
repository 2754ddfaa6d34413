/** Reasons of commands that were given without one. */
export const DEFAULT_REASONS = {
  haltTrading: "Trading halted",
  resumeTrading: "Trading resumed",
  disableService: "Service disabled",
  enableService: "Service enabled",
} as const;

const DEFAULTS: ReadonlySet<string> = new Set(Object.values(DEFAULT_REASONS));

/** The reason that somebody gave; null where there is none but the default. */
export function givenReason(reason: string | null | undefined): string | null {
  return reason && !DEFAULTS.has(reason) ? reason : null;
}

/** The five permissions of the API, as rules files and tokens spell them (specification, "Authorization"). */
export const PERMISSIONS = [
  "HALT_RESUME_TRADING",
  "CHANGE_RISK_LIMITS",
  "POSITION_ADJUSTMENT",
  "ENABLE_DISABLE_SERVICE",
  "CONTROL_FIX_SESSION",
] as const;

/** Name of one permission. */
export type Permission = (typeof PERMISSIONS)[number];

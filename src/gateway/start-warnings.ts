import type { Settings } from "../config/settings.ts";
import { plainLinkWarnings } from "./engine/engine-settings.ts";
import { remarkOnApprovals } from "./policy.ts";
import { sharedOriginWarning } from "./proxy/monitor.ts";

/** Warnings about valid settings, for the log and `check-config`. */
export function startWarnings(settings: Settings): string[] {
  const single = [remarkOnApprovals(settings), sharedOriginWarning(settings)];
  return [...single.filter((warning) => warning !== undefined), ...plainLinkWarnings(settings)];
}

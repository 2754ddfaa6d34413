import type { Settings } from "../config/settings.ts";
import { plainLinkWarnings } from "./engine/engine-settings.ts";
import { remarkOnApprovals } from "./policy.ts";
import { sharedOriginWarning } from "./proxy/monitor.ts";

/** What the operator should know of settings with which a gateway starts, as its log and `check-config` say it. */
export function startWarnings(settings: Settings): string[] {
  const single = [remarkOnApprovals(settings), sharedOriginWarning(settings)];
  return [...single.filter((warning) => warning !== undefined), ...plainLinkWarnings(settings)];
}

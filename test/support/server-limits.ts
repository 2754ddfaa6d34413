import { parseSettings } from "../../src/config/load.ts";
import { type ServerLimits, serverLimits } from "../../src/gateway/server/server-limits.ts";

/** The limits of a gateway with all defaults. */
export const DEFAULT_LIMITS: ServerLimits = serverLimits(parseSettings("", "application.yaml"));

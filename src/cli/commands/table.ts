import type { CommandDefinition } from "../command/definition.ts";
import { AUDIT } from "./audit.ts";
import { COMPLETION } from "./completion.ts";
import { DIAGNOSTICS } from "./diagnostics.ts";
import { FIX } from "./fix.ts";
import { GATEWAY } from "./gateway.ts";
import { POSITIONS } from "./positions.ts";
import { PROFILE } from "./profile.ts";
import { RISK } from "./risk.ts";
import { SCRIPTS } from "./scripts.ts";
import { SERVICES } from "./services.ts";
import { TRADING } from "./trading.ts";

/** All commands, in the order in which help shows them. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...TRADING,
  RISK,
  POSITIONS,
  SERVICES,
  FIX,
  ...DIAGNOSTICS,
  PROFILE,
  ...SCRIPTS,
  AUDIT,
  ...GATEWAY,
  COMPLETION,
];

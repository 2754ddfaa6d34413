import type { CommandDefinition } from "../command/definition.ts";
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
  PROFILE,
  ...SCRIPTS,
  ...GATEWAY,
];

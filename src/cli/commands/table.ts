import type { CommandDefinition } from "../framework/definition.ts";
import { AUDIT } from "./audit.ts";
import { COMPLETION, PROFILE, SCRIPTS } from "./command-line.ts";
import { DIAGNOSTICS } from "./diagnostics.ts";
import { FIX } from "./fix.ts";
import { GATEWAY } from "./gateway.ts";
import { POSITIONS } from "./positions.ts";
import { RISK } from "./risk.ts";
import { SERVICES } from "./services.ts";
import { TRADING } from "./trading.ts";

/** Commands by what they are for, in the order in which help shows them. */
const GROUPS: Readonly<Record<string, readonly CommandDefinition[]>> = {
  "Stop, resume and change": [...TRADING, RISK, POSITIONS, SERVICES, FIX],
  "Find out": [...DIAGNOSTICS, AUDIT],
  "Run a gateway": GATEWAY,
  "This command line": [PROFILE, ...SCRIPTS, COMPLETION],
};

/** All commands. */
export const COMMANDS: readonly CommandDefinition[] = Object.entries(GROUPS).flatMap(([group, commands]) =>
  commands.map((command) => ({ ...command, group })),
);

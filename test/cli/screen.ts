import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { RealTerminal, type TerminalOptions } from "../support/terminal.ts";
import { COMMAND } from "./command.ts";
import type { Installation } from "./installation.ts";

/** Types a command into a terminal, as the user of an installation. */
export function onScreen(
  { workplace, environment: own }: Installation,
  args: readonly string[],
  more: Partial<TerminalOptions> = {},
): RealTerminal {
  const environment = { ...CLEAN_ENVIRONMENT, HOME: workplace.path, ...own, ...more.environment };
  return new RealTerminal(process.execPath, [COMMAND, ...args], { cwd: workplace.path, ...more, environment });
}

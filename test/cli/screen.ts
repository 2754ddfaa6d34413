import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { RealTerminal, type TerminalOptions } from "../support/terminal.ts";
import { COMMAND } from "./command.ts";
import type { Installation } from "./installation.ts";

/** Types a command into a terminal, as the user of an installation. */
export function onScreen(
  { workplace, environment: own }: Pick<Installation, "workplace" | "environment">,
  args: readonly string[],
  more: Partial<TerminalOptions> = {},
): RealTerminal {
  const environment = { ...CLEAN_ENVIRONMENT, HOME: workplace.path, ...own, ...more.environment };
  return new RealTerminal(process.execPath, [COMMAND, ...args], { cwd: workplace.path, ...more, environment });
}

/** The lines that a command shows in a terminal of 80 columns until it ends; one that is wider is in one piece. */
export async function linesOnScreen(...command: Parameters<typeof onScreen>): Promise<string[]> {
  const terminal = onScreen(...command);
  try {
    await terminal.ended();
    return terminal.text().split("\n");
  } finally {
    terminal.close();
  }
}

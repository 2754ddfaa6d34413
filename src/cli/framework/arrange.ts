import { Option } from "commander";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import type { CommandDefinition } from "./definition.ts";

/** Options that many commands share, so that they may as well be typed before the command. */
const SHARED = [...CONNECTION_OPTIONS, OUTPUT_OPTION].map(({ flags }) => new Option(flags));

/**
 * A command line that does not begin with a command that runs something: shared options that stand before the command are put
 * behind its name; what asks for help stays as it is.
 *
 * @throws UsageError for a word that is not a command, with the commands that may be intended.
 */
export async function arranged(table: readonly CommandDefinition[], argv: readonly string[]): Promise<string[]> {
  const rest = [...argv];
  const moved: string[] = [];
  const path: string[] = [];
  for (let commands = table; commands.length > 0; ) {
    const option = sharedOption(rest);
    const found = commands.find(({ name }) => name === rest[0]);
    if (option.length === 0 && !found) {
      // What help is asked for has to exist, too.
      if (rest[0] === "help") await arranged(commands, rest.slice(1));
      if (asksForHelp(rest)) return [...path, ...rest];
      throw (await import("./unknown-command.ts")).unknownCommand(table, path, rest);
    }
    if (option.length > 0) moved.push(...rest.splice(0, option.length));
    else path.push(...rest.splice(0, 1));
    commands = found ? (found.commands ?? []) : commands;
  }
  return [...path, ...moved, ...rest];
}

/** Whether what is left asks for help, be it by its absence, or is an option, which may be unknown. */
function asksForHelp([word]: readonly string[]): boolean {
  return word === undefined || word === "help" || word.startsWith("-");
}

/** The shared option that the words begin with, and its value. */
function sharedOption([word = "", ...others]: readonly string[]): string[] {
  const [name = ""] = word.split("=");
  const option = SHARED.find(({ short, long }) => name === short || name === long);
  if (!option) return [];
  return option.required && !word.includes("=") ? [word, ...others.slice(0, 1)] : [word];
}

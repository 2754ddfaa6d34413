import { CONNECTION_OPTIONS } from "../../../src/cli/connection/options.ts";
import type { CommandDefinition, OptionDefinition } from "../../../src/cli/framework/definition.ts";

/** A command with its place in the tree, for what is generated from the table of commands. */
export interface PlacedCommand {
  readonly command: CommandDefinition;
  /** As it is typed: `trading-admin fix sessions`. */
  readonly line: string;
  /** With arguments and options: `trading-admin fix sessions [gateway] [options]`. */
  readonly usage: string;
  /** Without those that every command has that talks to a gateway. */
  readonly ownOptions: readonly OptionDefinition[];
  readonly talksToGateway: boolean;
}

/** All commands that run something, in the order of help. A command that is there under two names is there twice. */
export function placedCommands(table: readonly CommandDefinition[], above = "trading-admin"): PlacedCommand[] {
  return table.flatMap((command) => {
    const line = `${above} ${command.name}`;
    const below = placedCommands(command.commands ?? [], line);
    return command.load ? [placed(command, line), ...below] : below;
  });
}

function placed(command: CommandDefinition, line: string): PlacedCommand {
  const { options = [], arguments: all = {}, takesSettings } = command;
  const ownOptions = options.filter((option) => !CONNECTION_OPTIONS.includes(option));
  const parts = [
    line,
    ...Object.keys(all),
    ...(takesSettings ? ["[--key=value...]"] : []),
    ...(options.length > 0 ? ["[options]"] : []),
  ];
  return { command, line, usage: parts.join(" "), ownOptions, talksToGateway: ownOptions.length < options.length };
}

/** The name of an argument without the brackets and dots of usage lines. */
export function nameOf(argument: string): string {
  return argument.replace(/[<>[\].]/g, "");
}

/** What an option does, with its choices and its variable. */
export function optionText({ description, choices, env, required }: OptionDefinition): string {
  const notes = [
    ...(required ? ["required"] : []),
    ...(choices ? [`one of ${choices.join(", ")}`] : []),
    ...(env === undefined ? [] : [`or the variable ${env}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

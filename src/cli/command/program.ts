import { Argument, Command, CommanderError, Option } from "commander";
import { packageVersion } from "../../files/package-files.ts";
import { EXIT } from "../exit-codes.ts";
import type { CommandDefinition, Invocation, OptionDefinition, Run } from "./definition.ts";

/** A command line that is parsed. */
interface Parsing {
  readonly table: readonly CommandDefinition[];
  readonly argv: readonly string[];
  /** Sets the exit code of the command that was run. */
  readonly ended: (code: number) => void;
}

/**
 * Parses the command line by a table of commands and runs what it names. Returns the exit code; rejects with what the command
 * rejected with.
 */
export async function runCommandLine(table: readonly CommandDefinition[], argv: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  const program = new Command("trading-admin")
    .description("Administrative API of a trading engine: halt and resume, limits, positions, services, FIX sessions")
    .version(packageVersion())
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride();
  const ended = (exitCode: number): void => {
    code = exitCode;
  };
  for (const definition of table) program.addCommand(built(definition, [], { table, argv, ended }));
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    throw error;
  }
}

/** The command with its subcommands. Only what the command line can mean gets arguments and options: the others are not looked at. */
function built(definition: CommandDefinition, above: readonly string[], parsing: Parsing): Command {
  const command = new Command(definition.name).summary(definition.summary).exitOverride();
  command
    .description(definition.description ?? `${definition.summary}.`)
    .showHelpAfterError("(--help shows what there is)");
  if (!parsing.argv.includes(definition.name) && !parsing.argv.includes("help")) return command;
  const path = [...above, definition.name];
  for (const sub of definition.commands ?? []) command.addCommand(built(sub, path, parsing));
  addArguments(command, definition);
  for (const option of definition.options ?? []) command.addOption(optionOf(option));
  addExamples(command, definition);
  const { load } = definition;
  if (load) {
    command.action(async () => {
      const invocation = { table: parsing.table, ...invocationOf(definition, path, command) };
      parsing.ended((await run(load, invocation)) ?? EXIT.done);
    });
  }
  return command;
}

async function run(load: () => Promise<{ readonly run: Run }>, invocation: Invocation): Promise<number | undefined> {
  const loaded = await load();
  return loaded.run(invocation);
}

function addArguments(command: Command, { arguments: all = [], takesSettings }: CommandDefinition): void {
  for (const { name, description, required = false, variadic = false } of all) {
    const word = variadic ? `${name}...` : name;
    command.addArgument(new Argument(required ? `<${word}>` : `[${word}]`, description));
  }
  if (!takesSettings) return;
  const settings = "settings that go before those of the environment and the file, such as --server.port=0";
  command.argument("[--key=value...]", settings).allowUnknownOption();
}

function optionOf({ flags, description, choices, env, required, group }: OptionDefinition): Option {
  const option = new Option(flags, env === undefined ? description : `${description} (or the variable ${env})`);
  if (choices) option.choices([...choices]);
  if (group !== undefined) option.helpGroup(`${group}:`);
  return option.makeOptionMandatory(required === true);
}

function addExamples(command: Command, { examples = [] }: CommandDefinition): void {
  if (examples.length === 0) return;
  const lines = examples.map(({ line, does }) => `  ${line}\n      ${does}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

function invocationOf(
  definition: CommandDefinition,
  path: readonly string[],
  command: Command,
): Omit<Invocation, "table"> {
  const named = (definition.arguments ?? []).map(({ name }, index) => [name, command.processedArgs[index]]);
  return {
    command: definition,
    path,
    arguments: Object.fromEntries(named),
    options: command.opts(),
    settings: definition.takesSettings ? settingArguments(command) : [],
  };
}

/** Arguments `--key=value`, which commander leaves to the command; anything else is refused, as commander would do it. */
function settingArguments(command: Command): string[] {
  const other = command.args.find((argument) => !/^--[^=]+=/.test(argument));
  if (other === undefined) return command.args;
  const what = other.startsWith("-") ? `unknown option '${other.replace(/=.*$/s, "")}'` : "too many arguments";
  return command.error(`error: ${what}; settings are written --key=value, such as --server.port=0`);
}

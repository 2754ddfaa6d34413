import { Command, CommanderError, Option } from "commander";
import { documentAt, packageVersion } from "../../files/package-files.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { EXIT } from "../exit-codes.ts";
import { OPERATION_FACTS } from "../operations/facts.ts";
import { takesReason } from "../operations/operation-facts.ts";
import { wrapped } from "../output/columns.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import { hasManualPage } from "../process.ts";
import { printError } from "../terminal/messages.ts";
import { write, writeWords } from "../terminal/output.ts";
import type { CommandDefinition, Examples, Invocation, OptionDefinition } from "./definition.ts";

interface Parsing {
  readonly table: readonly CommandDefinition[];
  readonly argv: readonly string[];
  /** Sets the exit code of the command that was run. */
  readonly ended: (code: number) => void;
}

/** For a first-time user who has to stop trading. */
export const FIRST_STEPS: Examples = {
  "trading-admin halt --reason 'stale price feed'": "halts all trading and proves it; never asks",
  "trading-admin trading status": "shows whether trading is halted",
  "trading-admin resume": "shows what is halted, asks, and resumes trading",
};

/**
 * Parses the command line by a table of commands and runs what it names. Returns the exit code; rejects with what the command
 * rejected with.
 */
export async function runCommandLine(table: readonly CommandDefinition[], argv: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  const words = leadsToCommand(table, argv) ? argv : await arranged(table, argv);
  const program = prepared(new Command("trading-admin"), "trading-admin")
    .description("Administrative API of a trading engine: halt and resume, limits, positions, services, FIX sessions")
    .version(packageVersion());
  addExamples(program, FIRST_STEPS);
  program.addHelpText("after", () => CONNECTION + EXIT_CODES + manual());
  const ended = (exitCode: number): void => {
    code = exitCode;
  };
  for (const definition of table) program.addCommand(built(definition, [], { table, argv: words, ended }));
  try {
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    throw error;
  }
}

/** Whether the words begin with a command that runs something. */
function leadsToCommand(table: readonly CommandDefinition[], [word, ...others]: readonly string[]): boolean {
  const found = table.find(({ name }) => name === word);
  return found !== undefined && (found.load !== undefined || leadsToCommand(found.commands ?? [], others));
}

/** How a gateway is reached, for the help. */
const CONNECTION = `
Connection:
  export TRADING_ADMIN_URL=https://gateway:8988 TRADING_ADMIN_USER=alice
      or --url and --user; a terminal asks for the password
  export TRADING_ADMIN_PASSWORD_FILE=alice.password
      or --password-file, for scripts
  trading-admin halt --help
      lists all connection options: profiles, tokens, certificates
`;

/** Width of the help where it does not go to a terminal, and of what in it is not wrapped to one. */
const HELP_WIDTH = 80;

const EXIT_CODES = `\nExit codes:\n  ${wrapped(
  Object.entries(EXIT)
    .map(([name, code]) => `${code}~${name.replace(/[A-Z]/g, (letter) => `~${letter.toLowerCase()}`)}`)
    .join(", "),
  HELP_WIDTH - 2,
)
  .join("\n  ")
  .replaceAll("~", " ")}`;

function manual(): string {
  return `\n\nManual: ${documentAt("cli")}${hasManualPage() ? ", or man trading-admin" : ""}`;
}

/** What commander says of an option or argument that a command cannot do without. */
const MISSING = /^(?:required option|missing required argument) /;

/** Lets a command return instead of ending the process, and say in a line what is wrong with what was typed. */
function prepared(command: Command, line: string, definition?: CommandDefinition): Command {
  const hints = definition ? hintsOf(definition) : {};
  const [example] = Object.keys(definition?.examples ?? {});
  const outputError = (text: string): void => {
    const words = text.replace(/^error: /, "").replace(/\.?\s*$/, "");
    const hint = Object.entries(hints).find(([option]) => words.startsWith(`unknown option '${option}'`));
    if (hint) {
      printError(`${hint[1]}, nothing was done`);
      return;
    }
    if (example !== undefined && MISSING.test(words)) {
      printError(`${words}, nothing was done; for example: ${example}`);
      return;
    }
    const [, what = words, meant] = /^(.*)\n\((.*)\)$/s.exec(words) ?? [];
    printError(`${what}, nothing was done; ${meant?.replace(/^D/, "d") ?? `${line} --help shows the usage`}`);
  };
  return command.exitOverride().configureOutput({ writeOut: write, writeErr: writeWords, outputError });
}

/** Hints for options that other commands have, and this one cannot. */
function hintsOf({ name, operation }: CommandDefinition): Record<string, string> {
  return operation === undefined ? {} : { "--reason": `${name} takes no reason; leave --reason out` };
}

/** The command with its subcommands. Only what the command line can mean gets arguments and options: the others are not looked at. */
function built(definition: CommandDefinition, above: readonly string[], parsing: Parsing): Command {
  const path = [...above, definition.name];
  const command = prepared(new Command(definition.name), ["trading-admin", ...path].join(" "), definition)
    .summary(definition.summary)
    .description(definition.description ?? `${definition.summary}.`);
  if (definition.group !== undefined) command.helpGroup(`${definition.group}:`);
  if (!parsing.argv.includes(definition.name) && !parsing.argv.includes("help")) return command;
  for (const sub of definition.commands ?? []) command.addCommand(built(sub, path, parsing));
  addArguments(command, definition);
  for (const option of definition.options ?? []) command.addOption(optionOf(option));
  if (isStopWithoutReason(definition)) command.addOption(new Option("--reason <text>").hideHelp());
  addExamples(command, definition.examples ?? {});
  const { load } = definition;
  if (load) {
    command.action(async () => {
      const { run } = await load();
      parsing.ended((await run({ table: parsing.table, ...invocationOf(definition, command) })) ?? EXIT.done);
    });
  }
  return command;
}

/** A stop must not fail over an option that other stops take; it warns that nobody records it. */
function isStopWithoutReason({ operation }: CommandDefinition): boolean {
  const facts = operation && OPERATION_FACTS[operation];
  return facts?.lane === "stop" && !takesReason(facts);
}

function addArguments(command: Command, { arguments: all = {}, takesSettings }: CommandDefinition): void {
  for (const [word, description] of Object.entries(all)) command.argument(word, description);
  if (!takesSettings) return;
  const settings = "settings that override those of the environment and the file, such as --server.port=0";
  command.argument("[--key=value...]", settings).allowUnknownOption();
}

function optionOf({ flags, description, choices, env, required, group }: OptionDefinition): Option {
  const option = new Option(flags, env === undefined ? description : `${description} (or the variable ${env})`);
  if (choices) takeChoices(option, choices);
  if (group !== undefined) option.helpGroup(`${group}:`);
  return option.makeOptionMandatory(required === true);
}

/** Lets an option take its choices, in whatever case they are typed. */
function takeChoices(option: Option, choices: readonly string[]): void {
  option.choices([...choices]);
  const { parseArg } = option;
  option.argParser((value, previous) => {
    const meant = choices.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? value;
    return parseArg?.(meant, previous);
  });
}

function addExamples(command: Command, examples: Examples): void {
  const lines = Object.entries(examples).map(([line, does]) => `  ${shellLines(line)}\n      ${does}`);
  if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** A command line, with its options, and the members of its JSON, on separate lines where it is too long. */
function shellLines(line: string): string {
  const isShort = line.length <= HELP_WIDTH - 2;
  return isShort ? line : line.replaceAll(" --", " \\\n    --").replaceAll(/\},(?=")/g, "},\n      ");
}

function invocationOf(definition: CommandDefinition, command: Command): Omit<Invocation, "table"> {
  const named = command.registeredArguments.map((argument, index) => [argument.name(), command.processedArgs[index]]);
  return {
    command: definition,
    arguments: Object.fromEntries(named),
    options: command.opts(),
    settings: definition.takesSettings ? settingArguments(command) : [],
  };
}

/** Arguments `--key=value`, which commander leaves to the command; anything else is refused, as commander would do it. */
function settingArguments(command: Command): string[] {
  const other = command.args.find((argument) => !/^--[^=]+=/.test(argument));
  if (other === undefined) return command.args;
  if (/^https?:/.test(other)) return command.error(`error: an address is an option: --url ${other}`);
  const what = other.startsWith("-") ? `unknown option '${other.replace(/=.*$/s, "")}'` : "too many arguments";
  return command.error(`error: ${what}; settings are written --key=value, such as --server.port=0`);
}

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

/** Whether what is left asks for help, also by being empty, or is an option, which may be unknown. */
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

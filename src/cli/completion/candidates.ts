import { Argument, Option } from "commander";
import type { CommandDefinition, OptionDefinition, Run } from "../framework/definition.ts";
import { write } from "../terminal/output.ts";
import { liveNames } from "./live-names.ts";

/** Arguments, and values of options, that name a file: the shell lists those. */
const FILES: ReadonlySet<string> = new Set(["file", "plan"]);

/** Stands for the files of the shell. */
const A_FILE: Candidate = { word: "", description: "file" };

/**
 * `completion candidates`: what may stand at the end of a command line, `word<TAB>description` a line. A line without a word says that a file may
 * stand there.
 */
export const run: Run = async ({ table, arguments: { words = [] } }) => {
  const typed = [words].flat();
  const cursor = cursorOf(table, typed);
  const current = unquoted(typed.at(-1) ?? "");
  const { argument = "", arguments: known, ...before } = cursor;
  const names = await liveNames(argument, { ...before, gateway: known.gateway, current });
  const found = [...cursor.words, ...names.map((word) => ({ word, description: argument }))];
  const candidates = FILES.has(argument) ? [A_FILE] : found.filter(({ word }) => word.startsWith(current));
  write(candidates.map(({ word, description }) => `${oneLine(word)}\t${oneLine(description)}\n`).join(""));
};

/** The word at the cursor as it will be once the shell has read it. */
function unquoted(word: string): string {
  return word.replace(/^["']/, "").replaceAll(/\\(.)/g, "$1");
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}

interface Cursor {
  /** Words that may stand there: subcommands, options, choices. */
  readonly words: readonly Candidate[];
  /** First word: the command, or the group that it is in. */
  readonly group: string;
  /** Name of the argument, or of the option's value, that may stand there. */
  readonly argument: string | undefined;
  /** Arguments before the cursor, by name, as far as they are known. */
  readonly arguments: Readonly<Record<string, string>>;
  /** Options before the cursor, by the names of their values. */
  readonly options: Readonly<Record<string, string | boolean>>;
}

/** A word that completes what is typed. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** State while the words before the cursor are read. */
interface Progress {
  readonly command: CommandDefinition;
  readonly positional: readonly string[];
  readonly options: Readonly<Record<string, string | boolean>>;
  /** The option whose value comes next. */
  readonly waiting: OptionDefinition | undefined;
}

/** Finds out what may stand at the end of a command line. `words` are those behind `trading-admin`, the last one the one at the cursor. */
export function cursorOf(table: readonly CommandDefinition[], words: readonly string[]): Cursor {
  const current = words.at(-1) ?? "";
  const root: CommandDefinition = { name: "trading-admin", summary: "", commands: table };
  const start: Progress = { command: root, positional: [], options: {}, waiting: undefined };
  const progress = words.slice(0, -1).reduce(taken, start);
  const { command, positional, options, waiting } = progress;
  const pairs = argumentsOf(command).map((argument, index) => [argument.name(), positional[index]]);
  const known = Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
  const typed = { group: words[0] ?? "", arguments: known, options };
  if (waiting) return { ...typed, ...valueAt(waiting) };
  if (current.startsWith("-")) return { ...typed, ...optionAt(command, current) };
  const argument = argumentAt(command, positional.length)?.name();
  const commands = (command.commands ?? []).map(({ name, summary }) => ({ word: name, description: summary }));
  return { ...typed, words: commands, argument };
}

function taken(progress: Progress, word: string): Progress {
  const { command, positional, options, waiting } = progress;
  if (waiting) return { ...progress, options: { ...options, [keyOf(waiting)]: word }, waiting: undefined };
  if (word.startsWith("-") && word !== "-") return withOption(progress, word);
  const sub = positional.length === 0 ? command.commands?.find(({ name }) => name === word) : undefined;
  if (sub) return { ...progress, command: sub };
  return { ...progress, positional: [...positional, word] };
}

/** What may stand for the value of an option, behind `prefix`. */
function valueAt({ flags, choices = [] }: OptionDefinition, prefix = ""): Pick<Cursor, "words" | "argument"> {
  const words = choices.map((choice) => ({ word: `${prefix}${choice}`, description: "" }));
  return { words, argument: /[<[](\w+)/.exec(flags)?.[1] };
}

/** What may stand where an option, perhaps with its value behind `=`, is being typed. */
function optionAt(command: CommandDefinition, current: string): Pick<Cursor, "words" | "argument"> {
  const [name = "", value] = current.split("=");
  if (value === undefined) return { words: optionWords(command), argument: undefined };
  const option = optionNamed(command, name);
  if (option) return valueAt(option, `${name}=`);
  return { words: [], argument: command.takesSettings ? "file" : undefined };
}

function optionNamed({ options = [] }: CommandDefinition, name: string): OptionDefinition | undefined {
  return options.find(({ flags }) => {
    const { short, long } = new Option(flags);
    return name === short || name === long;
  });
}

function withOption(progress: Progress, word: string): Progress {
  const [name = "", ...value] = word.split("=");
  const option = optionNamed(progress.command, name);
  if (!option) return progress;
  if (value.length === 0 && new Option(option.flags).required) return { ...progress, waiting: option };
  const typed = value.length === 0 ? true : value.join("=");
  return { ...progress, options: { ...progress.options, [keyOf(option)]: typed } };
}

/** Under which the value of an option is found. */
function keyOf({ flags }: OptionDefinition): string {
  return new Option(flags).attributeName();
}

function optionWords({ options = [] }: CommandDefinition): Candidate[] {
  const help = { flags: "--help", description: "display help for command" };
  return [...options, help].map((option) => ({
    word: new Option(option.flags).long ?? "",
    description: option.description,
  }));
}

function argumentAt(command: CommandDefinition, index: number): Argument | undefined {
  const all = argumentsOf(command);
  const last = all.at(-1);
  return all[index] ?? (last?.variadic ? last : undefined);
}

function argumentsOf({ arguments: all = {} }: CommandDefinition): Argument[] {
  return Object.keys(all).map((word) => new Argument(word));
}

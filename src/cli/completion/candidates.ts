import { Argument, Option } from "commander";
import type { CommandDefinition, OptionDefinition, Run } from "../framework/definition.ts";
import { write } from "../terminal/output.ts";

/** The longest that a completion may take. */
const TIMEOUT_MS = 1_500;

/** `completion candidates`: what may stand at the end of a command line, `word<TAB>description` a line. */
export const run: Run = async ({ table, arguments: { words = [] } }) => {
  const typed = [words].flat();
  const cursor = cursorOf(table, typed);
  const current = unquoted(typed.at(-1) ?? "");
  const candidates = [...cursor.words, ...(await liveCandidates(cursor))].filter(({ word }) =>
    word.startsWith(current),
  );
  write(candidates.map(({ word, description }) => `${oneLine(word)}\t${oneLine(description)}\n`).join(""));
};

/** Names from the live installation; none when it cannot be reached, since a completion has no place to say why. */
async function liveCandidates({ group, argument, arguments: known, options }: Cursor): Promise<Candidate[]> {
  const namesOf = NAMES[argument ?? ""];
  if (!namesOf) return [];
  try {
    const { connect } = await import("../connection/connect.ts");
    const { client } = await connect(options);
    const names = await namesOf(client, { signal: AbortSignal.timeout(TIMEOUT_MS) }, { group, gateway: known.gateway });
    return names.map((word) => ({ word, description: argument ?? "" }));
  } catch {
    // See above.
    return [];
  }
}

type Client = Awaited<ReturnType<typeof import("../connection/connect.ts").connect>>["client"];

/** Words typed before a name. */
interface Before {
  readonly group: string;
  readonly gateway?: string | undefined;
}

type NamesOf = (client: Client, call: { readonly signal: AbortSignal }, before: Before) => Promise<readonly string[]>;

/** The names that an argument can have. */
const NAMES: Readonly<Record<string, NamesOf>> = {
  path: async (client, call) =>
    (await client.listHalts({}, call)).halts.map(({ projectionPath }) => projectionPath).filter((path) => path !== ""),
  gateway: async (client, call) => (await client.listFixGateways({}, call)).map(({ gatewayName }) => gatewayName),
  service: async (client, call) => (await client.listServices({}, call)).map(({ name }) => name),
  projection: async (client, call, { group }) => {
    const { positionProjections = [], riskTables = [] } = await client.describeEngine({}, call);
    const ofTables = riskTables.map(({ projection }) => projection).filter((projection) => projection !== "");
    return group === "risk" ? ofTables : positionProjections;
  },
  session: async (client, call, { gateway = "" }) =>
    (await client.listFixSessions({ gateway }, call)).map(({ sessionId }) => sessionId),
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
  /** Name of the argument that may stand there. */
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
  if (waiting)
    return { ...typed, words: (waiting.choices ?? []).map((word) => ({ word, description: "" })), argument: undefined };
  if (current.startsWith("-")) return { ...typed, words: optionWords(command), argument: undefined };
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

function withOption(progress: Progress, word: string): Progress {
  const [name = "", ...value] = word.split("=");
  const option = progress.command.options?.find(({ flags }) => {
    const { short, long } = new Option(flags);
    return name === short || name === long;
  });
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

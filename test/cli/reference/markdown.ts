import { CONNECTION_OPTIONS } from "../../../src/cli/connection/options.ts";
import type { CommandDefinition, Examples, OptionDefinition } from "../../../src/cli/framework/definition.ts";
import { FIRST_STEPS } from "../../../src/cli/framework/program.ts";
import { code, table } from "../../docs/markdown-table.ts";
import { TOPICS, type Topic } from "./topics.ts";
import { nameOf, optionText, type PlacedCommand, placedCommands } from "./tree.ts";

const NAME = "trading-admin";

const INTRODUCTION = `# Command line

<!-- Generated from src/cli/commands and test/cli/reference. To change it, edit those and run: UPDATE_DOCS=1 npx vitest run test/cli/reference.test.ts -->

\`trading-admin\` runs gateways and talks to them. \`trading-admin COMMAND --help\` says what this page says, \`man trading-admin\` as well
where npm has installed the package globally. Someone on call needs three lines:

${exampleLines(FIRST_STEPS)}`;

/** The text of `docs/cli.md`. */
export function markdownReference(commands: readonly CommandDefinition[]): string {
  const placed = placedCommands(commands);
  const shared = sharedOptions(placed);
  const gateway =
    "Commands that talk to a gateway take these. Secrets are never arguments: other users of the machine can see those.";
  return [
    INTRODUCTION,
    ...TOPICS.map(topicText),
    `## Commands\n\n${tableOf(["Command", "What it does"], placed.map(overviewRow))}`,
    ...placed.map((one) => commandText(one, placed, shared)),
    `## Shared options\n\nSeveral commands take these; each names its own.\n\n${optionTable([...shared.values()])}`,
    `## Connection options\n\n${gateway}\n\n${optionTable(CONNECTION_OPTIONS)}`,
  ].join("\n");
}

function topicText({ title, paragraphs, pairs }: Topic): string {
  const rows = pairs.map(([name, meaning]) => [code(name), meaning]);
  const parts = [
    ...paragraphs.map((text) => `${withCode(text)}\n`),
    ...(rows.length > 0 ? [tableOf(["", "Meaning"], rows)] : []),
  ];
  return `## ${title}\n\n${parts.join("\n")}`;
}

/** Options in a sentence look as they do in a table, and do not break behind their hyphens. */
function withCode(text: string): string {
  return text.replace(/`[^`]*`|(?<![\w-])--[a-z][\w-]*/g, (found) => (found.startsWith("`") ? found : code(found)));
}

function overviewRow({ line, command }: PlacedCommand): string[] {
  return [linkTo(line), command.summary];
}

function linkTo(line: string): string {
  return `[\`${line}\`](#${headingOf(line).toLowerCase().replaceAll(" ", "-")})`;
}

/** A command without the program's name, with which all of them would begin. */
function headingOf(line: string): string {
  return line.slice(NAME.length + 1);
}

/** An option of so many commands is described once for all of them. */
const SHARED_BY = 6;

const SHARED = "[shared options](#shared-options)";

/** Options that are described once, by their flags: where flags have several meanings, the most frequent one. */
function sharedOptions(placed: readonly PlacedCommand[]): Map<string, OptionDefinition> {
  const all = placed.flatMap(({ ownOptions }) => ownOptions);
  const countOf = (option: OptionDefinition): number => all.filter((other) => isSame(option, other)).length;
  const shared = new Map<string, OptionDefinition>();
  for (const option of all.filter((candidate) => countOf(candidate) >= SHARED_BY)) {
    const known = shared.get(option.flags);
    if (known === undefined || countOf(known) < countOf(option)) shared.set(option.flags, option);
  }
  return shared;
}

function isSame(one: OptionDefinition, other: OptionDefinition | undefined): boolean {
  return one.flags === other?.flags && optionText(one) === optionText(other);
}

/** The first place of a command that is there under two names. */
function firstOf({ command }: PlacedCommand, placed: readonly PlacedCommand[]): PlacedCommand | undefined {
  const { name, operation } = command;
  return placed.find(
    ({ command: other }) => other === command || (operation && other.operation === operation && other.name === name),
  );
}

/** Where an option of a command is described: with the shared ones, with a command before it in its group, or with the command itself. */
function homeOf(
  option: OptionDefinition,
  { line }: PlacedCommand,
  placed: readonly PlacedCommand[],
  shared: ReadonlyMap<string, OptionDefinition>,
): string {
  if (isSame(option, shared.get(option.flags))) return SHARED;
  const group = line.slice(0, line.lastIndexOf(" "));
  const isDescribed = (other: PlacedCommand): boolean => other.ownOptions.some((its) => isSame(option, its));
  const first =
    group === NAME ? undefined : placed.find((other) => other.line.startsWith(`${group} `) && isDescribed(other));
  return linkTo(first?.line ?? line);
}

/** Names options that are described elsewhere, and where. */
function optionsElsewhere(homes: ReadonlyMap<string, readonly OptionDefinition[]>, talksToGateway: boolean): string {
  const places = [...homes].map(([home, options]) => {
    const names = options.map(({ flags }) => code(/--[\w-]+/.exec(flags)?.[0] ?? flags));
    return `${names.join(", ")} (${home})`;
  });
  const all = [...places, ...(talksToGateway ? ["the [connection options](#connection-options)"] : [])];
  return all.length === 0 ? "" : `Takes ${all.join("; ")}.\n`;
}

function commandText(
  one: PlacedCommand,
  placed: readonly PlacedCommand[],
  shared: ReadonlyMap<string, OptionDefinition>,
): string {
  const { command, line, usage, ownOptions, talksToGateway } = one;
  const first = firstOf(one, placed);
  if (first && first !== one) return `### ${headingOf(line)}\n\n    ${usage}\n\nThe same as ${linkTo(first.line)}.\n`;
  const { summary, description = `${summary}.`, arguments: all = {}, examples } = command;
  const homes = new Map<string, OptionDefinition[]>();
  for (const option of ownOptions) {
    const home = homeOf(option, one, placed, shared);
    homes.set(home, [...(homes.get(home) ?? []), option]);
  }
  const local = homes.get(linkTo(line)) ?? [];
  homes.delete(linkTo(line));
  const also = optionsElsewhere(homes, talksToGateway);
  const parts = [
    `### ${headingOf(line)}\n`,
    `${withCode(escaped(description))}\n`,
    `    ${usage}\n`,
    ...(Object.keys(all).length > 0
      ? [
          tableOf(
            ["Argument", "Meaning"],
            Object.entries(all).map(([word, meaning]) => [code(nameOf(word)), meaning]),
          ),
        ]
      : []),
    ...(local.length > 0 ? [optionTable(local)] : []),
    ...(also === "" ? [] : [also]),
    ...(examples ? [exampleLines(examples)] : []),
  ];
  return parts.join("\n");
}

/** What an example does stands above it, so that lines are short enough for a phone. */
function exampleLines(examples: Examples): string {
  return Object.entries(examples)
    .map(([line, does]) => `    # ${does}\n    ${line}\n`)
    .join("");
}

function optionTable(options: readonly OptionDefinition[]): string {
  return tableOf(
    ["Option", "Meaning"],
    options.map((option) => [code(option.flags), optionText(option)]),
  );
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(cellText));
  return `${table(header, cells)}\n`;
}

function cellText(text: string): string {
  return escaped(text).replaceAll("|", "\\|");
}

/** What Markdown would take for a tag. */
function escaped(text: string): string {
  return text.startsWith("`") ? text : text.replaceAll("<", "&lt;");
}

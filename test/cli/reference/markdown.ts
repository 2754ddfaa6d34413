import { CONNECTION_OPTIONS } from "../../../src/cli/connection/options.ts";
import type { CommandDefinition, Examples, OptionDefinition } from "../../../src/cli/framework/definition.ts";
import { FIRST_STEPS } from "../../../src/cli/framework/program.ts";
import { code, table } from "../../docs/markdown-table.ts";
import { TOPICS, type Topic } from "./topics.ts";
import { nameOf, optionText, type PlacedCommand, placedCommands } from "./tree.ts";

const INTRODUCTION = `# Command line

<!-- Generated from src/cli/commands and test/cli/reference. To change it, edit those and run: UPDATE_DOCS=1 npx vitest run test/cli/reference.test.ts -->

\`trading-admin\` runs gateways and talks to them. \`trading-admin COMMAND --help\` says what this page says, \`man trading-admin\` as well
where the package is installed. Someone on call needs three lines:

${exampleLines(FIRST_STEPS)}`;

/** The text of `docs/cli.md`. */
export function markdownReference(commands: readonly CommandDefinition[]): string {
  const placed = placedCommands(commands);
  const gateway =
    "Commands that talk to a gateway take these as well. Secrets are never arguments: other users of the machine can see those.";
  return [
    INTRODUCTION,
    ...TOPICS.map(topicText),
    `## Commands\n\n${tableOf(["Command", "What it does"], placed.map(overviewRow))}`,
    ...placed.map(commandText),
    `## Connection options\n\n${gateway}\n\n${optionTable(CONNECTION_OPTIONS)}`,
  ].join("\n");
}

function topicText({ title, paragraphs, pairs }: Topic): string {
  const rows = pairs.map(([name, meaning]) => [code(name), meaning]);
  const parts = [
    ...paragraphs.map((text) => `${text}\n`),
    ...(rows.length > 0 ? [tableOf(["", "Meaning"], rows)] : []),
  ];
  return `## ${title}\n\n${parts.join("\n")}`;
}

function overviewRow({ line, command }: PlacedCommand): string[] {
  const anchor = line.toLowerCase().replaceAll(" ", "-");
  return [`[\`${line}\`](#${anchor})`, command.summary];
}

function commandText({ command, line, usage, ownOptions, talksToGateway }: PlacedCommand): string {
  const { summary, description = `${summary}.`, arguments: all = {}, examples } = command;
  const also = talksToGateway ? "Takes the [connection options](#connection-options).\n" : "";
  const parts = [
    `### ${line}\n`,
    `${escaped(description)}\n`,
    `    ${usage}\n`,
    ...(Object.keys(all).length > 0
      ? [
          tableOf(
            ["Argument", "Meaning"],
            Object.entries(all).map(([word, meaning]) => [code(nameOf(word)), meaning]),
          ),
        ]
      : []),
    ...(ownOptions.length > 0 ? [optionTable(ownOptions)] : []),
    ...(also === "" ? [] : [also]),
    ...(examples ? [exampleLines(examples)] : []),
  ];
  return parts.join("\n");
}

function exampleLines(examples: Examples): string {
  return Object.entries(examples)
    .map(([line, does]) => `    ${line}   # ${does}\n`)
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

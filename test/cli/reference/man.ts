import { CONNECTION_OPTIONS } from "../../../src/cli/connection/options.ts";
import type { CommandDefinition, OptionDefinition } from "../../../src/cli/framework/definition.ts";
import { TOPICS, type Topic } from "./topics.ts";
import { nameOf, optionText, type PlacedCommand, placedCommands } from "./tree.ts";

/** The manual page `trading-admin.1`, in the macros of man(7). */
export function manPage(table: readonly CommandDefinition[], version: string): string {
  const commands = placedCommands(table);
  return [
    `.TH TRADING-ADMIN 1 "" "trading-admin ${version}" "User Commands"`,
    ".SH NAME",
    "trading-admin \\- administrative API of a trading engine",
    ".SH SYNOPSIS",
    ".B trading-admin",
    ".I command",
    "[arguments] [options]",
    ".SH DESCRIPTION",
    roff(
      "Runs gateways of the administrative API and talks to them: halts and resumes trading, reads and changes limits, positions, services and FIX sessions.",
    ),
    ...TOPICS.flatMap(topicLines),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH CONNECTION OPTIONS",
    roff("Commands that talk to a gateway take these as well."),
    ...CONNECTION_OPTIONS.flatMap(optionLines),
    "",
  ].join("\n");
}

function topicLines({ title, paragraphs, pairs }: Topic): string[] {
  return [
    `.SH ${title.toUpperCase()}`,
    ...paragraphs.flatMap((text) => [".PP", roff(text)]),
    ...pairs.flatMap(([name, meaning]) => [".TP", bold(name), roff(meaning)]),
  ];
}

function commandLines({ command, usage, ownOptions, talksToGateway }: PlacedCommand): string[] {
  const { summary, description = `${summary}.`, arguments: all = {}, examples = {} } = command;
  return [
    `.SS ${quoted(usage)}`,
    roff(description),
    ...Object.entries(all).flatMap(([word, text]) => [".TP", italic(nameOf(word)), roff(text)]),
    ...ownOptions.flatMap(optionLines),
    ...(talksToGateway ? [".PP", "Takes the connection options."] : []),
    ...Object.entries(examples).flatMap(([line, does]) => [
      ".PP",
      roff(`${does}:`),
      ".PP",
      ".RS",
      ".nf",
      roff(line),
      ".fi",
      ".RE",
    ]),
  ];
}

function optionLines(option: OptionDefinition): string[] {
  return [".TP", bold(option.flags), roff(optionText(option))];
}

/** A text in which nothing is a request or an escape, with the minus that can be copied. */
function roff(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`;
}

function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', "\\(dq")}"`;
}

import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import type { CommandDefinition, Invocation } from "../../src/cli/framework/definition.ts";
import { runCommandLine } from "../../src/cli/framework/program.ts";
import { operationNames } from "../../src/core/operations/table.ts";
import { packageVersion } from "../../src/files/package-files.ts";
import { readText, UPDATES, writeText } from "../docs/bus-files.ts";
import { MANIFEST } from "../package/build.ts";
import { outputOf } from "../support/output-of.ts";
import { manPage } from "./reference/man.ts";
import { markdownReference } from "./reference/markdown.ts";
import { placedCommands } from "./reference/tree.ts";

const REFERENCE = "docs/cli.md";
const MAN_PAGE = "docs/trading-admin.1";

const PLACED = placedCommands(COMMANDS);

describe("the reference is generated from the table of commands (UPDATE_DOCS=1 rewrites it)", () => {
  it("docs/cli.md says what the table says", () => {
    if (UPDATES) writeText(REFERENCE, markdownReference(COMMANDS));
    expect(readText(REFERENCE)).toBe(markdownReference(COMMANDS));
  });

  it("so does the manual page, which the package installs", () => {
    const page = manPage(COMMANDS, packageVersion());
    if (UPDATES) writeText(MAN_PAGE, page);
    expect(readText(MAN_PAGE)).toBe(page);
    expect(MANIFEST).toMatchObject({ man: `./${MAN_PAGE}`, files: expect.arrayContaining(["docs"]) });
  });

  it("the manual page is one that groff takes without a warning", () => {
    const check = ["-man", "-Tutf8", "-ww", "-z", MAN_PAGE];
    expect(outputOf("bash", ["-c", 'groff "$@" 2>&1', "groff", ...check])).toBe("");
  });

  it("names every exit code and every operation", () => {
    const text = markdownReference(COMMANDS);
    for (const code of Object.values(EXIT)) expect(text).toMatch(new RegExp(`^\\| \`${code}\` \\| \\w`, "m"));
    const covered = new Set(PLACED.map(({ command }) => command.operation));
    expect(operationNames.filter((name) => !covered.has(name))).toEqual([]);
  });
});

/** The table with commands that only keep what they are called with. */
function recording(table: readonly CommandDefinition[], calls: Invocation[]): CommandDefinition[] {
  const run = async (invocation: Invocation): Promise<undefined> => void calls.push(invocation);
  return table.map((command) => ({
    ...command,
    ...(command.commands && { commands: recording(command.commands, calls) }),
    ...(command.load && { load: async () => ({ run }) }),
  }));
}

/** Words of a line as a shell reads them. */
function shellWords(line: string): string[] {
  const print = `print() { printf '%s\\0' "$@"; }; trading-admin() { print "$@"; }; ${line}`;
  return outputOf("bash", ["-c", print]).split("\0").slice(0, -1);
}

const EXAMPLES = PLACED.flatMap(({ command }) =>
  Object.keys(command.examples ?? {}).map((line) => ({ line, name: command.name })),
);

describe("help is enough without the manual", () => {
  it.each(PLACED)("$line has an example", ({ command }) => {
    expect(Object.keys(command.examples ?? {}).length).toBeGreaterThan(0);
  });

  it.each(EXAMPLES.filter(({ line }) => /^trading-admin/.test(line)))(
    "the example can be typed: $line",
    async ({ line, name }) => {
      const calls: Invocation[] = [];
      const typed = shellWords(line.replace(/ [>|] .*$/, ""));
      expect(await runCommandLine(recording(COMMANDS, calls), typed)).toBe(EXIT.done);
      expect(calls.map(({ command }) => command.name)).toEqual([name]);
    },
  );
});

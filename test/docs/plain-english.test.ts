import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeCommand } from "../../src/cli/operations/describe-command.ts";
import { OPERATION_FACTS } from "../../src/cli/operations/facts.ts";
import { operationNames } from "../../src/core/operations/table.ts";
import { outputOf } from "../support/output-of.ts";
import { foreignPhrase } from "./plain-english.ts";

/** Texts of others, texts that are generated from the sources, and the page that names the phrases. */
const EXEMPT =
  /^(?:docs\/(?:specification\.md|cli\.md|openapi\.json|trading-admin\.1|bus\/|reference\/(?:operations|settings|errors)\.md|operate\/monitoring\.md)|test\/docs\/plain-english)/;

/** The style page, whose table has the phrases on its left. */
const STYLE = "CONTRIBUTING.md";

function filesOf(...patterns: readonly string[]): string[] {
  const listed = outputOf("git", ["ls-files", "--", ...patterns]);
  return listed.split("\n").filter((file) => file !== "" && !EXEMPT.test(file));
}

/** Lines of files with a phrase that the project does not use, as `file:line: phrase`. */
function foundIn(files: readonly string[], isChecked: (line: string) => boolean = () => true): string[] {
  return files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const phrase = isChecked(line) ? foreignPhrase(line) : undefined;
        return phrase === undefined ? [] : [`${file}:${index + 1}: ${phrase}`];
      }),
  );
}

describe("D-DOC 2: texts are plain English", () => {
  it("in the sources: names, comments and messages", () => {
    expect(foundIn(filesOf("src/*.ts", "transports/*.ts", "src/*.css"))).toEqual([]);
  });

  it("on the pages, and in what they install", () => {
    expect(foundIn(filesOf("docs/*.md", "README.md", "SECURITY.md", "deploy", "examples"))).toEqual([]);
    expect(foundIn([STYLE], (line) => !line.startsWith("| "))).toEqual([]);
  });

  it("in titles of tests", () => {
    const isTitle = (line: string): boolean => /^\s*(?:\].*\)|(?:describe|it|test|rule)(?:\.\w+)*)\(["'`]/.test(line);
    expect(foundIn(filesOf("test/*.test.ts"), isTitle)).toEqual([]);
  });

  it.each([
    ['"5x" is no number', "is not a"],
    ["Resolves at once", "immediately"],
    ["two requests under way", "in progress"],
    ["the stop goes on", "continues"],
    ["the rules of before stay in force", "active"],
    ["while the directory is out of reach", "unreachable"],
    ["a stranger's request", "unauthenticated caller"],
    ["resumption of trading system-wide: done", "a verb"],
    ["what became of a command", "what happened to"],
    ["whatever then becomes of it", "the outcome of"],
    ["an engine of your own", "its own"],
    ["something else than a principal", "other than"],
    ["where two persons are needed", "two people"],
    ["the halts given elsewhere", "sent through"],
    ["stops that were not given through it", "sent through"],
    ["decide whether to give the halt again", "halt again"],
    ["an engine that hangs is still sent it", "receives it"],
    ["an engine that stands still", "hangs"],
    ["on a port of its own", "its own"],
    ["whoever shall halt", "must"],
    ["records of former times", "earlier"],
    ["it is not known any more", "no longer"],
    ["the password is another.", "differs"],
    ["const MOST_ROWS = 5", "MAX_"],
  ])("%s is found", (text, instead) => {
    expect(foreignPhrase(text)).toContain(instead);
  });

  it.each([
    "there is no such name",
    "this key is no longer supported",
    "he comes and goes",
    "once, at most",
    "his own and of its own accord",
    "a reason given at the terminal",
    "of your own accord",
  ])("%s passes", (text) => {
    expect(foreignPhrase(text)).toBeUndefined();
  });
});

describe("D-DOC 3: the command line names a command by its verb, as it is typed", () => {
  const commands = operationNames.filter((name) => OPERATION_FACTS[name].lane !== "read");

  it.each(commands)("%s", (operation) => {
    const [verb = ""] = operation.split(/(?=[A-Z])/);
    expect(describeCommand({ operation, input: { name: "VWAP", gateway: "OE1", session: "A" } })).toMatch(
      new RegExp(`^${verb} \\w`),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import { cursorOf } from "../../src/cli/completion/candidates.ts";
import { requireCommand } from "./command.ts";
import { Installation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

async function candidates(...words: readonly string[]): Promise<string[]> {
  const { code, stdout } = await installation.run("completion", "candidates", "--", ...words);
  expect(code).toBe(0);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what may stand at the cursor", () => {
  it.each([
    ["commands", [""], expect.arrayContaining(["halt", "trading", "risk", "audit", "completion"])],
    ["the beginning of a command", ["pos"], ["positions"]],
    ["commands of a group", ["risk", ""], ["table", "set", "update", "export", "plan", "apply"]],
    ["options", ["risk", "apply", "--y"], ["--yes"]],
    ["choices of an option", ["risk", "export", "-o", ""], ["yaml", "csv"]],
    ["gateways of the live installation", ["fix", "gateway", ""], ["OE1", "MD1", "RFQ1", "VENUES"]],
    [
      "sessions of the gateway that is typed",
      ["fix", "disable", "OE1", "FIX"],
      ["FIXCLIENT1", "FIXCLIENT2", "FIXCLIENT3"],
    ],
    ["names with blanks", ["fix", "session", "RFQ1", "EUR\\/USD\\ d"], ["EUR/USD desk"]],
    ["services", ["services", "disable", "--reason", "x", "VW"], ["VWAP"]],
    [
      "projections of positions that the engine has",
      ["positions", "watch", "Account/"],
      expect.arrayContaining(["Account/Symbol", "Account/Currency"]),
    ],
    [
      "projections of its risk tables",
      ["risk", "export", ""],
      ["Source", "Account", "Account/Symbol", "Trader/Symbol"],
    ],
    ["a file, by a line without a word, for the shell to list them", ["risk", "plan", "li"], [""]],
    ["a file behind an option", ["audit", "show", "--config", ""], [""]],
    ["a file behind an option and =", ["serve", "--config=app"], [""]],
    ["a file for a setting, which may be one", ["serve", "--server.ssl.key-store=ke"], [""]],
    ["nothing for a text", ["halt", "--reason", ""], []],
    ["choices behind =", ["risk", "export", "--output="], ["--output=yaml", "--output=csv"]],
    ["projections behind an option", ["top", "--positions", "Account/S"], ["Account/Symbol"]],
    ["keys of a path", ["halt", "Acc"], ["Account["]],
    ["keys of a path in quotes", ["halt", "'Acc"], ["Account["]],
    ["keys of its next segment that it does not have", ["resume", "Symbol[EUR/USD]/S"], ["Symbol[EUR/USD]/Source["]],
    ["nothing within a segment", ["positions", "adjust", "Account[G"], []],
  ])("is completed: %s", async (_, words, expected) => {
    expect(await candidates(...words)).toEqual(expected);
  });

  it("a path by the keys of the specification when no gateway responds", async () => {
    expect(await candidates("halt", "--url", "http://127.0.0.1:1", "Acc")).toEqual(["Account["]);
  });

  it("depends on the options typed before, and is nothing when no gateway responds", async () => {
    expect(await candidates("fix", "gateway", "--url", "http://127.0.0.1:1", "")).toEqual([]);
    const options = cursorOf(COMMANDS, ["fix", "gateway", "--profile=prod", "--user", "x", ""]).options;
    expect(options).toEqual({ profile: "prod", user: "x" });
  });
});

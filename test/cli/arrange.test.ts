import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import { arranged } from "../../src/cli/framework/program.ts";

async function typed(line: string): Promise<string> {
  return (await arranged(COMMANDS, line.split(" "))).join(" ");
}

describe("a word that is not a command is refused with the commands that may be meant", () => {
  it.each([
    ["hallt", '"halt"'],
    ["status", '"trading status"'],
    ["sessions", '"fix sessions"'],
    ["trading stauts", '"trading status"'],
    ["gateway OE1", '"fix gateway"'],
    ["enable", '"services enable" or "fix enable"'],
    ["show services", '"services show"'],
    ["fix halt", '"halt" or "trading halt"'],
    ["disconect OE1 FIXCLIENT1", '"fix disconnect"'],
    ["--url 127.0.0.1:8988 adjust", '"positions adjust"'],
    ["stop", '"halt"'],
    ["kill Account[GOLD]", '"halt"'],
    ["user add alice", '"hash-password" or "permissions"'],
    ["freeze", '"halt"'],
    ["start", '"resume"'],
    ["unhalt", '"resume"'],
    ["limits Account", '"risk"'],
    ["version", '"--version"'],
    ["hlat", '"halt"'],
    ["resmue", '"resume"'],
    ["trading hatl", '"trading halt"'],
    ["fix list", '"fix gateways" or "fix sessions"'],
    ["fix kill OE1 FIXCLIENT1", '"fix disable"'],
    ["services start TWAP", '"services enable"'],
    ["services status", '"services show" or "services list"'],
    ["trading pause", '"trading halt"'],
    ["risk limits", '"risk table"'],
    ["positions show", '"positions list"'],
  ])("D-CLI 25: %s: did you mean %s?", async (line, meant) => {
    await expect(typed(line)).rejects.toThrow(`, nothing was done; did you mean ${meant}?`);
  });

  it("and with the help where nothing is near", async () => {
    await expect(typed("xyzzy")).rejects.toThrow(
      'unknown command "xyzzy", nothing was done; trading-admin --help lists the commands',
    );
    await expect(typed("risk xyzzy")).rejects.toThrow("trading-admin risk --help lists the commands");
  });

  it("also behind help", async () => {
    await expect(typed("help hallt")).rejects.toThrow(
      'unknown command "hallt", nothing was done; did you mean "halt"?',
    );
    await expect(typed("fix help xyzzy")).rejects.toThrow('unknown command "xyzzy"');
  });
});

describe("options that many commands share may be typed before the command", () => {
  it.each([
    ["--url 127.0.0.1:8988 trading status", "trading status --url 127.0.0.1:8988"],
    ["trading --url=127.0.0.1:8988 -v status Account[A]", "trading status --url=127.0.0.1:8988 -v Account[A]"],
    ["-o json --profile prod halt --reason x", "halt -o json --profile prod --reason x"],
  ])("%s", async (line, arrangement) => {
    expect(await typed(line)).toBe(arrangement);
  });

  it("what asks for help is left as it is", async () => {
    for (const line of ["--help", "fix --help", "help", "help trading status", "fix help sessions", "--version"]) {
      expect(await typed(line)).toBe(line);
    }
  });
});

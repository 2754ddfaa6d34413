import { chmodSync, mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RealTerminal } from "../support/terminal.ts";
import { requireCommand } from "./command.ts";
import { Installation } from "./installation.ts";
import { openShell, SHELLS } from "./shells.ts";

const KILL_LINE = "\x15";

beforeAll(requireCommand);

function literally(text: string): string {
  return text.replace(/[^\w ]/g, "\\$&");
}

describe.each(Object.keys(SHELLS) as (keyof typeof SHELLS)[])("the completion for %s, in a real terminal", (shell) => {
  let installation: Installation;
  let terminal: RealTerminal;

  beforeAll(async () => {
    installation = await Installation.open();
    installation.workplace.write("limits.yaml", "");
    terminal = await openShell(shell, installation);
  }, 60_000);

  afterAll(async () => {
    terminal?.close();
    await installation?.close();
  });

  it.each([
    ["a command", "trad", "trading"],
    ["a command of a group", "risk pl", "risk plan"],
    ["an option", "risk apply plan.json --y", "risk apply plan.json --yes"],
    ["a choice of an option", "risk export --output y", "risk export --output yaml"],
    ["a gateway of the live installation", "fix gateway O", "fix gateway OE1"],
    ["a session, quoted as the shell needs it", "fix session RFQ1 E", String.raw`fix session RFQ1 EUR/USD\ desk`],
    ["a service, behind an option with a value", "services disable --reason x VW", "services disable --reason x VWAP"],
    ["a name behind an address with colons", "fix gateway --url http://127.0.0.1:{port} RF", "RFQ1"],
    ["a file where a file is meant", "risk plan lim", "risk plan limits.yaml"],
  ])("completes %s", async (_, typed, completed) => {
    const { port } = new URL(installation.serving.url);
    terminal.type(`trading-admin ${typed.replace("{port}", port)}\t`);
    const screen = await terminal.until(new RegExp(`^ready> *trading-admin .*${literally(completed)}`, "m"));
    expect(screen).toContain(completed);
    terminal.type(KILL_LINE);
  });

  it.each([
    ["a path", "halt lim"],
    ["a name", "services disable lim"],
    ["a text behind an option", "halt --reason lim"],
    ["a command", "lim"],
  ])("offers no file where %s is meant", async (_, line) => {
    terminal.type(`trading-admin ${line}\tX`);
    await terminal.until(new RegExp(`^ready> *trading-admin ${line}X`, "m"));
    terminal.type(KILL_LINE);
  });

  // fish would put a blank behind the beginning of a path.
  const [key, more] = shell === "fish" ? ["Acc", "ount[GOLD]"] : ["Account[", "GOLD]"];

  it.each([
    ["single", "'"],
    ["double", '"'],
  ])("completes a key of a path in %s quotes", async (_, quote) => {
    terminal.type(`trading-admin halt ${quote}Acc\tX`);
    await terminal.until(new RegExp(`^ready> *trading-admin halt ${quote}${literally(key)}.*X`, "m"));
    terminal.type(KILL_LINE);
  });

  it("completes a key of a path so that its value can be typed behind it", async () => {
    terminal.type(`trading-admin halt Acc\t${more} --curl\r`);
    expect(await terminal.until(/projectionPath/)).toMatch(/"projectionPath": *"Account\[GOLD\]"/);
  });

  it("offers the known names, and no file beside them", async () => {
    terminal.type("trading-admin fix gateway \t\t");
    const screen = await terminal.until(/OE1[\s\S]*VENUES|VENUES[\s\S]*OE1/);
    expect(screen).not.toContain("limits.yaml");
    terminal.type(KILL_LINE);
  });
});

describe("the completion for zsh, of names with characters of its own syntax", () => {
  let installation: Installation;
  let terminal: RealTerminal;

  beforeAll(async () => {
    installation = await Installation.open();
    const candidates = ["a\\:b", "c:d", "e\\f", "g\\\\:h"];
    installation.workplace.write("names", candidates.map((name) => `${name}\tservice\n`).join(""));
    mkdirSync(installation.workplace.file("other"));
    installation.workplace.write("other/trading-admin", "#!/bin/sh\ncat names\n");
    chmodSync(installation.workplace.file("other/trading-admin"), 0o755);
    terminal = await openShell("zsh", installation);
  }, 60_000);

  afterAll(async () => {
    terminal?.close();
    await installation?.close();
  });

  it.each([
    ["a", "a\\\\:b"],
    ["c", "c:d"],
    ["e", "e\\\\f"],
    ["g", "g\\\\\\\\:h"],
  ])("%s becomes %s", async (typed, completed) => {
    terminal.type(`other/trading-admin services disable ${typed}\t`);
    await terminal.until(new RegExp(`^ready> *other/trading-admin services disable ${literally(completed)} *$`, "m"));
    terminal.type(KILL_LINE);
  });
});

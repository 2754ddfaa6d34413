import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RealTerminal } from "../../support/terminal.ts";
import { requireCommand } from "../command.ts";
import { Installation } from "../installation.ts";
import { onScreen } from "../screen.ts";

let installation: Installation;
let terminal: RealTerminal | undefined;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterEach(() => terminal?.close());

afterAll(() => installation.close());

function watching(...args: readonly string[]): RealTerminal {
  terminal = onScreen(installation, [...args, "--interval", "200ms"], { columns: 140, rows: 50 });
  return terminal;
}

describe("watch, in a real terminal: changes only", () => {
  it("trading watch prints a halt and a resumption of a path and of what holds it; Ctrl-C ends it", async () => {
    const watch = watching("trading", "watch", "Source[FIXCLIENT1]/Account[GOLD]");
    await watch.until(/^watching, .*system-wide: not halted; Source\[FIXCLIENT1\]: not halted; /m);
    await installation.run("halt", "Source[FIXCLIENT1]", "--reason", "drill");
    await watch.until(/^\S+Z {2}Source\[FIXCLIENT1\] {2}trading not halted -> halted, reason drill$/m);
    await installation.run("resume", "Source[FIXCLIENT1]", "--yes", "--wait");
    await watch.until(/^\S+Z {2}Source\[FIXCLIENT1\] {2}trading halted -> not halted/m);
    await installation.run("halt", "Account[GOLD]", "--reason", "across");
    await watch.until(/^\S+Z {2}Account\[GOLD\] {2}trading not halted -> halted, reason across$/m);
    await installation.run("resume", "Account[GOLD]", "--yes", "--wait");
    watch.type("\x03");
    expect(await watch.ended()).toBe(0);
  });

  it("D-CLI 28: trading watch prints halts and resumptions of nodes that nobody named, from the list of halts", async () => {
    await installation.run("halt", "Account[GOLD]", "--reason", "before");
    const watch = watching("trading", "watch");
    await watch.until(/^watching, .*system-wide: not halted; Account\[GOLD\]: halted \(before\)/m);
    await installation.run("halt", "Source[FIXCLIENT1]", "--reason", "drill");
    await watch.until(/^\S+Z {2}Source\[FIXCLIENT1\] {2}trading not halted -> halted, reason drill$/m);
    for (const path of ["Account[GOLD]", "Source[FIXCLIENT1]"])
      await installation.run("resume", path, "--yes", "--wait");
    await watch.until(/^\S+Z {2}Account\[GOLD\] {2}trading halted -> not halted/m);
    await watch.until(/^\S+Z {2}Source\[FIXCLIENT1\] {2}trading halted -> not halted/m);
  });

  it("fix watch prints what happens to a session, as JSON Lines for a program", async () => {
    const watch = watching("fix", "watch", "OE1", "-o", "json");
    await watch.until(/^watching, .*4 sessions: /m);
    await installation.run("fix", "disable", "OE1", "FIXCLIENT1", "--wait");
    await watch.until(/"about":"OE1\/FIXCLIENT1","changed":\{"status":\{"from":"\w+","to":"Disabled"\}/);
    await installation.run("fix", "enable", "OE1", "FIXCLIENT1", "--yes", "--wait");
  });

  it("positions watch prints a size that was adjusted", async () => {
    const watch = watching("positions", "watch", "Account/Symbol", "--account", "GOLD");
    await watch.until(/^watching, /m);
    await installation.run("positions", "adjust", "Account[GOLD]/Symbol[AAPL]", "--size", "4711", "--yes");
    await watch.until(/Account\[GOLD\]\/Symbol\[AAPL\] {2}.*size .*4711/);
  });

  it("survives an outage, says when it begins and ends, and prints what changed meanwhile", async () => {
    const own = await Installation.open();
    try {
      const watch = onScreen(own, ["trading", "watch", "--interval", "200ms"], { columns: 140, rows: 50 });
      terminal = watch;
      await watch.until(/^watching, /m);
      const { port } = new URL(own.serving.url);
      await own.serving.kill();
      // A read in progress has another reason than the next ones.
      await watch.until(/Z {2}no response, trying again: \w+ failed: .*(?:ECONN|socket hang up)/);
      await own.workplace.serve("--config", "application.yaml", `--server.port=${port}`);
      await own.run("halt", "--reason", "meanwhile");
      await watch.until(/Z {2}there is a response again after \d+\.\d s; what changed meanwhile follows$/m);
      await watch.until(/system-wide {2}trading not halted -> halted, reason meanwhile$/m);
    } finally {
      await own.close();
    }
  });

  it.each([
    ["a gateway that does not exist", ["fix", "watch", "NONE"], 5],
    ["wrong credentials", ["trading", "watch", "--user", "eve", "--password-file", "password"], 4],
    ["a pause that is too short", ["trading", "watch", "--interval", "1ms"], 2],
  ])("%s ends it immediately", async (_, args, code) => {
    expect(await installation.run(...args)).toMatchObject({ code, stdout: "" });
  });
});

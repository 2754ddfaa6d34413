import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { json, ScriptedServer } from "../../client/scripted-server.ts";
import { exampleReply } from "../../support/example-reply.ts";
import type { RealTerminal, TerminalOptions } from "../../support/terminal.ts";
import { requireCommand } from "../command.ts";
import { Installation } from "../installation.ts";
import { onScreen } from "../screen.ts";

let installation: Installation;
let terminal: RealTerminal | undefined;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
  await installation.run("positions", "adjust", "Account[GOLD]/Symbol[AAPL]", "--size", "100", "--yes");
  await installation.run("positions", "adjust", "Account[SILVER]/Symbol[AAPL]", "--size", "-250.5", "--yes");
});

afterEach(() => terminal?.close());

afterAll(() => installation.close());

function top(more: Partial<TerminalOptions> = {}, ...args: readonly string[]): RealTerminal {
  terminal = onScreen(installation, ["top", "--interval", "200ms", ...args], more);
  return terminal;
}

const RUNNING = { projectionPath: "", halted: false, reason: null };
const LOADED = /SERVICES 1-\d+ of 9/;
// Built of its parts: a control character in a pattern is taken for a mistake.
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*3[1-6]m`);

describe("top, in a real terminal", () => {
  it.each([
    [80, 24],
    [140, 50],
  ])(
    "shows kill switch, sessions, services, positions by size, events and keys on one screen of %ix%i",
    async (columns, rows) => {
      const screen = await top({ columns, rows }).until(/SERVICES 1-\d+ of 9[\s\S]*POSITIONS 1-\d+ of 2/);
      const lines = screen.split("\n");
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(screen).toMatch(/^trading is not halted \(system-wide\)/m);
      expect(screen).toMatch(/^> SESSIONS 1-\d+ of 12 +\d+ of 12 connected +by status, worst first/m);
      expect(screen).toMatch(/^SESSION +STATUS +INBOUND +OUTBOUND +IN\/S +OUT\/S/m);
      expect(screen).toMatch(/^ {2}SERVICES 1-\d+ of 9 +9 of 9 enabled +by orders, worst first/m);
      expect(screen).toMatch(/^ {2}POSITIONS 1-2 of 2 +by size, largest first/m);
      expect(screen).toMatch(
        /^Account\[SILVER\]\/Symbol\[AAPL\] +-250\.5 [\s\S]*^Account\[GOLD\]\/Symbol\[AAPL\] +100 /m,
      );
      expect(screen).toMatch(/^ {2}EVENTS/m);
      expect(lines.at(-1)).toMatch(/^h HALT .* q quit/);
    },
  );

  it("leaves no row out while there is room for it", async () => {
    await top({ columns: 140, rows: 50 }).until(/SESSIONS 1-12 of 12[\s\S]*SERVICES 1-9 of 9[\s\S]*POSITIONS 1-2 of 2/);
  });

  it("has colours, and none with NO_COLOR; the screen says the same", async () => {
    const coloured = top();
    const screen = await coloured.until(LOADED);
    expect(coloured.written).toMatch(COLOUR);
    coloured.close();
    const plain = top({ environment: { NO_COLOR: "1" } });
    const same = await plain.until(LOADED);
    expect(plain.written).not.toMatch(COLOUR);
    const withoutTime = (text: string): string => text.replace(/\S+Z$/m, "");
    expect(withoutTime(same)).toBe(withoutTime(screen));
  });

  it("has keys that go to another list, sort, filter and page it", async () => {
    const view = top();
    await view.until(LOADED);
    view.type("\t");
    // Of those that accept orders, the one without a connection is the worst.
    await view.until(/^> SERVICES 1-\d+ of 9 .*by orders, worst first *\nSERVICE .*\nXETRA1 +enabled +Disconnected/m);
    view.type("s");
    await view.until(/^> SERVICES .*by status, worst first/m);
    view.type("r");
    await view.until(/^> SERVICES .*by status, best first/m);
    view.type("/");
    await view.until(/^show only rows with: _/m);
    view.type("vw\r");
    await view.until(/^> SERVICES 1-1 of 1 .*with "vw"[\s\S]*^VWAP /m);
    view.type("\t");
    await view.until(/^> POSITIONS 1-2 of 2/m);
    view.type("\t\x1b[6~");
    await view.until(/^> SESSIONS 5-12 of 12/m);
    view.type("\x1b[A");
    await view.until(/^> SESSIONS 4-11 of 12/m);
    view.type("\x1b[H");
    await view.until(/^> SESSIONS 1-8 of 12/m);
  });

  it("halts with h and the typed word, proves it, and shows it; anything else halts nothing", async () => {
    const view = top();
    await view.until(LOADED);
    view.type("h");
    await view.until(/^halt ALL trading\? type halt and Enter, Esc leaves: _/m);
    view.type("hal\r");
    await view.until(/^h HALT/m);
    expect(await installation.json("trading", "status")).toMatchObject({ halted: false });
    view.type("h");
    await view.until(/^halt ALL trading/m);
    view.type("halt\r");
    await view.until(/^halted, confirmed \S+Z, request id [\w.-]+$/m);
    await view.until(/^trading HALTED \(system-wide\): Halted from trading-admin top/m);
    await view.until(/^\d\d:\d\d:\d\d trading running -> halted \(system-wide\): Halted from trading-admin top/m);
    expect(await installation.json("trading", "status")).toMatchObject({ halted: true });
    await installation.run("resume", "--yes", "--wait");
  });

  it("reads immediately what happened to a halt, however long the pause between two readings is", async () => {
    const view = top({}, "--interval", "60s");
    await view.until(LOADED);
    view.type("h");
    await view.until(/^halt ALL trading/m);
    view.type("halt\r");
    await view.until(/^trading HALTED/m);
    await installation.run("resume", "--yes", "--wait");
  });

  it("D-CLI 13: shows among the events a halt that is lifted, and what was disabled and enabled again", async () => {
    const view = top();
    await view.until(LOADED);
    await installation.run("fix", "disable", "OE1", "FIXCLIENT1", "--wait");
    await view.until(/^\d\d:\d\d:\d\d OE1\/FIXCLIENT1: status \w+ -> Disabled/m);
    await view.until(/^OE1\/FIXCLIENT1 +Disabled/m);
    await installation.run("fix", "enable", "OE1", "FIXCLIENT1", "--yes", "--wait");
    await view.until(/^\d\d:\d\d:\d\d OE1\/FIXCLIENT1: status Disabled -> \w+/m);
    await installation.run("services", "disable", "VWAP", "--wait");
    await view.until(/^VWAP +disabled[\s\S]*^\d\d:\d\d:\d\d service VWAP: enabled true -> false/m);
    await installation.run("services", "enable", "VWAP", "--yes", "--wait");
    await installation.run("halt", "--reason", "A");
    await view.until(/^trading HALTED \(system-wide\): A/m);
    await installation.run("resume", "--yes", "--wait");
    await view.until(/^\d\d:\d\d:\d\d trading halted -> running \(system-wide\): no reason given/m);
  });

  it("D-CLI 13: begins with the worst sessions and services, on the smallest screen too", async () => {
    const screen = await top({ columns: 80, rows: 24 }).until(LOADED);
    expect(screen).toMatch(/^SESSION .*\nOE1\/LEGACY +Disabled/m);
  });

  it("gives the terminal back on q, as it was: exit code 0", async () => {
    const view = top();
    await view.until(LOADED);
    view.type("q");
    expect(await view.ended()).toBe(0);
    expect(view.screen()).toBe("");
    expect(view.written.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  });

  it("says so when the terminal is too small, and when the engine does not have the projection", async () => {
    await top({ columns: 60, rows: 20 }).until(/^too small: 60x20; top needs 80x24/m);
    terminal?.close();
    await top({}, "--positions", "Trader").until(/choose another projection with --positions/);
  });

  it("keeps what was read on the screen while there is no response, and says for how long", async () => {
    const own = await Installation.open();
    try {
      const view = onScreen(own, ["top", "--interval", "200ms"]);
      terminal = view;
      await view.until(LOADED);
      await own.serving.kill();
      const screen = await view.until(/^NO RESPONSE\. \d+ s ago: trading is not halted \(system-wide\)/m);
      expect(screen).toMatch(LOADED);
      // A read in progress has another reason than the next ones.
      expect(screen).toMatch(/^\d\d:\d\d:\d\d no response: .*(?:ECONN|socket hang up)/m);
    } finally {
      await own.close();
    }
  });

  it("D-CLI 13: shows the age of what it shows when an engine hangs, long before its reads fail", async () => {
    let hangs = false;
    const server = await ScriptedServer.start((response, { path }) => {
      if (hangs) return;
      if (path.endsWith("/halts")) json(response, 200, exampleReply("listHalts", { halts: [] }));
      else json(response, 200, path.includes("/trading/") ? RUNNING : []);
    });
    const view = top({}, "--url", server.origin);
    await view.until(/^trading is not halted \(system-wide\)/m);
    hangs = true;
    const screen = await view.until(/^[3-9] s ago: trading is not halted \(system-wide\)/m);
    expect(screen).toMatch(/EVENTS \(none yet\)/);
  });

  it("leaves the screen alone without a terminal, and with credentials that are refused", async () => {
    expect(await installation.run("top")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs a terminal"),
    });
    const view = top({}, "--user", "eve", "--password-file", "password");
    expect(await view.ended()).toBe(4);
    expect(view.screen()).toContain("denied");
  });
});

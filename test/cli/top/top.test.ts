import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
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

const LOADED = /SERVICES 1-\d+ of 9/;
// Built of its parts: a control character in a pattern is taken for a mistake.
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*3[1-6]m`);

describe("top, in a real terminal", () => {
  it.each([
    [80, 24],
    [140, 50],
  ])(
    "shows kill switch, sessions, services, positions by size, failures and keys on one screen of %ix%i",
    async (columns, rows) => {
      const screen = await top({ columns, rows }).until(/SERVICES 1-\d+ of 9[\s\S]*POSITIONS 1-\d+ of 2/);
      const lines = screen.split("\n");
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(screen).toMatch(/^trading is not halted \(system-wide\)/m);
      expect(screen).toMatch(/^> SESSIONS 1-\d+ of 12 +by session/m);
      expect(screen).toMatch(/^SESSION +STATUS +INBOUND +OUTBOUND +IN\/S +OUT\/S/m);
      expect(screen).toMatch(/^ {2}SERVICES 1-\d+ of 9/m);
      expect(screen).toMatch(/^ {2}POSITIONS 1-2 of 2 +by size, largest first/m);
      expect(screen).toMatch(
        /^Account\[SILVER\]\/Symbol\[AAPL\] +-250\.5 [\s\S]*^Account\[GOLD\]\/Symbol\[AAPL\] +100 /m,
      );
      expect(screen).toMatch(/^ {2}LAST FAILURES/m);
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
    await view.until(/^> SERVICES 1-\d+ of 9 +by service/m);
    view.type("s");
    await view.until(/^> SERVICES .*by orders/m);
    view.type("r");
    await view.until(/^> SERVICES .*by orders, largest first/m);
    view.type("/");
    await view.until(/^show only rows with: _/m);
    view.type("vw\r");
    await view.until(/^> SERVICES 1-1 of 1 .*with "vw"[\s\S]*^VWAP /m);
    view.type("\t");
    await view.until(/^> POSITIONS 1-2 of 2/m);
    view.type("\t\x1b[6~");
    await view.until(/^> SESSIONS 4-12 of 12/m);
    view.type("\x1b[A");
    await view.until(/^> SESSIONS 3-11 of 12/m);
    view.type("\x1b[H");
    await view.until(/^> SESSIONS 1-9 of 12/m);
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
    await view.until(/^halted, seen \S+Z, request id [\w.-]+$/m);
    await view.until(/^trading HALTED: Halted from trading-admin top/m);
    await view.until(/^\d\d:\d\d:\d\d trading halted: Halted from trading-admin top/m);
    expect(await installation.json("trading", "status")).toMatchObject({ halted: true });
    await installation.run("resume", "--yes", "--wait");
  });

  it("reads at once what became of a halt, however long the pause between two readings is", async () => {
    const view = top({}, "--interval", "60s");
    await view.until(LOADED);
    view.type("h");
    await view.until(/^halt ALL trading/m);
    view.type("halt\r");
    await view.until(/^trading HALTED/m);
    await installation.run("resume", "--yes", "--wait");
  });

  it("shows a session that is lost among the failures", async () => {
    const view = top();
    await view.until(LOADED);
    await installation.run("fix", "disable", "OE1", "FIXCLIENT1", "--wait");
    await view.until(/^\d\d:\d\d:\d\d OE1\/FIXCLIENT1: status \w+ -> Disabled/m);
    await installation.run("fix", "enable", "OE1", "FIXCLIENT1", "--yes", "--wait");
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
      const screen = await view.until(/NO ANSWER for \d+ s: as it was before/);
      expect(screen).toMatch(LOADED);
      expect(screen).toMatch(/^\d\d:\d\d:\d\d .*ECONNREFUSED/m);
    } finally {
      await own.close();
    }
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

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { accept, json, ScriptedServer } from "../client/scripted-server.ts";
import { RealTerminal, type TerminalOptions } from "../support/terminal.ts";
import { requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";
import { onScreen } from "./screen.ts";

let installation: Installation;
let terminal: RealTerminal | undefined;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterEach(() => terminal?.close());

afterAll(() => installation.close());

function typed(args: readonly string[], more: Partial<TerminalOptions> = {}): RealTerminal {
  terminal = onScreen(installation, args, more);
  return terminal;
}

async function isHalted(path = ""): Promise<boolean> {
  const state = (await installation.json("trading", "status", ...(path ? [path] : []))) as { halted: boolean };
  return state.halted;
}

describe("asymmetric confirmation, in a real terminal", () => {
  it("a halt never asks: it is proven when the screen shows it", async () => {
    const halt = typed(["halt", "--reason", "drill"]);
    expect(await halt.ended()).toBe(0);
    expect(halt.screen()).toMatch(/^done +halt trading system-wide: done, the engine shows it$/m);
    expect(halt.screen()).toMatch(/^reason +drill$/m);
    expect(await isHalted()).toBe(true);
  });

  it("a resume shows what is and what would be, asks, and shows what is then", async () => {
    const resume = typed(["resume"]);
    const asked = await resume.until(/Type yes to continue:$/m);
    expect(asked).toMatch(/^now +.*halted: yes, reason: drill$/m);
    expect(asked).toMatch(/^then +halted: no$/m);
    expect(await isHalted()).toBe(true);
    resume.type("yes\r");
    expect(await resume.ended()).toBe(0);
    expect(resume.screen()).toMatch(/^halted +no$/m);
    expect(await isHalted()).toBe(false);
  });

  it.each([
    ["another word", "y\r"],
    ["Enter alone", "\r"],
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
  ])("takes %s as a no: nothing is sent, exit code 6", async (_, keys) => {
    await installation.run("services", "disable", "VWAP", "--wait");
    const enable = typed(["services", "enable", "VWAP"]);
    await enable.until(/Type yes to continue:/);
    enable.type(keys);
    expect(await enable.ended()).toBe(6);
    expect(enable.text()).toMatch(/enable service VWAP: not sent: not confirmed/);
    expect(await installation.json("services", "show", "VWAP")).toMatchObject({ enabled: false });
  });

  it("asks for the name of the installation where that is marked as production", async () => {
    const { url } = installation.serving;
    const profile = { url, user: "desk", "password-file": "password", production: true };
    const path = installation.workplace.file("profiles.yaml");
    installation.workplace.writePrivate("profiles.yaml", JSON.stringify({ profiles: { london: profile } }));
    await installation.run("halt", "Account[SILVER]");
    const environment = { TRADING_ADMIN_CONFIG: path };
    const args = ["resume", "Account[SILVER]", "--profile", "london"];
    const yes = typed(args, { environment });
    expect(await yes.until(/Type london to continue:/)).toContain("london is marked as production");
    yes.type("yes\r");
    expect(await yes.ended()).toBe(6);
    const named = typed(args, { environment });
    await named.until(/Type london to continue:/);
    named.type("london\r");
    expect(await named.ended()).toBe(0);
    expect(await isHalted("Account[SILVER]")).toBe(false);
  });

  it("asks again where a new row removes limits that applied to its orders, and says which", async () => {
    const commands = [
      { type: "UPDATE", conditions: { Account: "HEDGE2", Symbol: "SAP" }, limits: { MaxOrderSize: "500" } },
    ];
    const update = typed(["risk", "update", "Account/Symbol", "--commands", JSON.stringify(commands)]);
    const shown = (await update.until(/continue:/)).replace(/\s+/g, " ");
    expect(shown).toContain("MaxPositionLong: 8000 (from Account=* Symbol=*) -> unlimited");
    update.type("yes\r");
    const asked = (await update.until(/Is that intended\?\s+Type yes to continue:/)).replace(/\s+/g, " ");
    expect(asked).toContain(
      "removes limits of Account=HEDGE2 Symbol=SAP: MaxPositionLong, 8000 (from Account=* Symbol=*) now",
    );
    update.type("no\r");
    expect(await update.ended()).toBe(6);
  });

  it("asks again for removing a limit and for changing one by a factor of 10", async () => {
    const update = (limit: string | null): RealTerminal => {
      const commands = [
        { type: "UPDATE", conditions: { Account: "PENSION", Symbol: "AAPL" }, limits: { MaxOrderSize: limit } },
      ];
      return typed(["risk", "update", "Account/Symbol", "--commands", JSON.stringify(commands)]);
    };
    const first = update("101");
    await first.until(/MaxOrderSize: 1000 -> 101[\s\S]*continue:/);
    first.type("yes\r");
    expect(await first.ended()).toBe(0);
    for (const [limit, words] of [
      ["1010", /by a factor of 10 or more: 101 -> 1010/],
      [null, /removes limits of Account=PENSION Symbol=AAPL: MaxOrderSize, 101 now/],
    ] as const) {
      const drastic = update(limit);
      await drastic.until(/continue:/);
      drastic.type("yes\r");
      await drastic.until(words);
      await drastic.until(/Is that intended\?\s+Type yes to continue:/);
      drastic.type("no\r");
      expect(await drastic.ended()).toBe(6);
    }
    const small = update("999");
    await small.until(/101 -> 999[\s\S]*continue:/);
    small.type("yes\r");
    expect(await small.ended()).toBe(0);
  });
});

describe("Ctrl-C ends the waiting and does not hide a command that was sent", () => {
  it("with 3 while the response is awaited: it may have been applied", async () => {
    const server = await ScriptedServer.start(() => {});
    const halt = typed(["halt", "--url", server.origin]);
    await expect.poll(() => server.requests.filter(({ method }) => method === "POST").length).toBe(1);
    halt.type("\x03");
    expect(await halt.ended()).toBe(3);
    expect(halt.text()).toMatch(/may have been applied: read the state before you repeat it: the waiting was ended/);
  });

  it("with 7 while it is proven: it was accepted", async () => {
    const state = { projectionPath: "", halted: false, reason: null };
    const server = await ScriptedServer.start((response, { method }) =>
      method === "POST" ? accept(response) : json(response, 200, state),
    );
    const halt = typed(["halt", "--url", server.origin]);
    await expect.poll(() => server.requests.length).toBeGreaterThan(2);
    halt.type("\x03");
    expect(await halt.ended()).toBe(7);
    expect(halt.text()).toMatch(/accepted, but not proven: the waiting was ended at the terminal; read the state/);
  });
});

describe("D-CLI 1: without a terminal and without --yes nothing is sent", () => {
  it("and exit code 6 says so", async () => {
    const { code, stdout, stderr } = await installation.run("services", "enable", "VWAP", "-o", "json");
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "not-sent", askedAt: null });
    expect(stderr).toMatch(/not sent: there is no terminal to ask for confirmation on; pass --yes\n$/);
    expect(await installation.json("services", "show", "VWAP")).toMatchObject({ enabled: false });
  });
});

describe("the password is asked for where nothing gives it, and is not shown", () => {
  it("at the terminal, without an echo", async () => {
    const environment = { TRADING_ADMIN_PASSWORD: undefined };
    const status = typed(["trading", "status"], { environment });
    await status.until(/^Password of desk: *$/m);
    status.type(`${PASSWORD}\r`);
    expect(await status.ended()).toBe(0);
    expect(status.screen()).toMatch(/^halted +no$/m);
    expect(status.written).not.toContain("horse");
  });
});

it("D-CLI 16: several sessions are enabled after one question", async () => {
  const sessions = ["FIXCLIENT1", "FIXCLIENT2"];
  await installation.run("fix", "disable", "OE1", ...sessions);
  const enable = typed(["fix", "enable", "OE1", ...sessions]);
  const asked = await enable.until(/Type yes to continue:$/m);
  expect(asked.match(/^now /gm)).toHaveLength(2);
  enable.type("yes\r");
  expect(await enable.ended()).toBe(0);
  expect(enable.text().match(/Type yes/g)).toHaveLength(1);
  expect(enable.screen()).toMatch(/^OE1 +FIXCLIENT2 +done/m);
});

describe("tables fit the terminal", () => {
  it.each([
    [80, 24],
    [140, 50],
  ])("of %i columns and %i rows: the least important columns go first, and are named", async (columns, rows) => {
    const list = typed(["fix", "sessions", "--details"], { columns, rows });
    expect(await list.ended()).toBe(0);
    const screen = list.screen();
    expect(screen).toMatch(/^GATEWAY +SESSION +STATUS +SENDER +TARGET +CONNECTED/m);
    expect(screen).toMatch(/^left out, as it does not fit: /m);
    expect(/^GATEWAY .* OUT SEQ/m.test(screen)).toBe(columns === 140);
  });

  it("with colours for the words that matter, and none with NO_COLOR", async () => {
    const coloured = typed(["fix", "sessions"]);
    await coloured.ended();
    expect(coloured.written).toContain("\x1b[31mDisabled\x1b[39m");
    const plain = typed(["fix", "sessions"], { environment: { NO_COLOR: "1" } });
    await plain.ended();
    expect(plain.written).toContain("Disabled");
    expect(plain.written).not.toContain("\x1b[3");
  });
});

describe("help alone", () => {
  it("leads from nothing to a halt: commands, the way to a gateway, then options and examples to paste", async () => {
    const top = typed(["--help"], { rows: 80 });
    await top.ended();
    expect(top.screen()).toMatch(/^ {2}halt +Halt trading system-wide or at a path$/m);
    const small = typed(["--help"]);
    await small.ended();
    expect(small.screen()).toContain("trading-admin halt --reason 'stale price feed'");
    for (const name of ["URL", "USER", "PASSWORD_FILE"]) expect(small.screen()).toContain(`TRADING_ADMIN_${name}=`);
    expect(small.screen()).toMatch(/^Manual: docs\/cli\.md$/m);
    const halt = typed(["halt", "--help"], { rows: 100 });
    await halt.ended();
    expect(halt.screen()).toContain("trading-admin halt 'Account[GOLD]' --wait 30s");
    expect(halt.screen()).toContain("--reason <text>");
  });
});

describe("the terminal of these tests", () => {
  it("shows what a program writes right before its exit, although nobody reads meanwhile", async () => {
    const line = "0123456789".repeat(5);
    const script = `for (let i = 0; i < 95; i += 1) console.log("${line}"); console.log("the end")`;
    for (let round = 0; round < 2; round += 1) {
      const terminal = new RealTerminal(process.execPath, ["-e", script], { cwd: ".", environment: {}, rows: 100 });
      const stall = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 260), 1);
      await terminal.ended();
      clearInterval(stall);
      const screen = terminal.screen();
      terminal.close();
      expect(screen).toMatch(/the end$/);
    }
  });
});

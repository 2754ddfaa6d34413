import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import type { CommandDefinition } from "../../src/cli/framework/definition.ts";
import { operationNames } from "../../src/core/operations/table.ts";
import { requireCommand } from "./command.ts";
import { Installation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

function operationsOf(commands: readonly CommandDefinition[]): string[] {
  return commands.flatMap(({ operation, commands: below = [] }) => [
    ...(operation ? [operation] : []),
    ...operationsOf(below),
  ]);
}

/** What `call`, which prints what the API returned, says of a read. */
async function called(operation: string, input: object = {}): Promise<unknown> {
  const { stdout } = await installation.run("call", operation, JSON.stringify(input));
  return JSON.parse(stdout);
}

describe("all operations as noun and verb", () => {
  it("pin: every operation of the table has a command, and halt and resume are at the top as well", () => {
    expect(new Set(operationsOf(COMMANDS))).toEqual(new Set(operationNames));
    expect(COMMANDS.slice(0, 2).map(({ name }) => name)).toEqual(["halt", "resume"]);
  });

  it.each([
    ["risk table Account/Symbol", "getRiskTable", { projection: "Account/Symbol" }],
    [
      "positions list Account/Symbol --account GOLD",
      "listPositions",
      { projection: "Account/Symbol", account: "GOLD" },
    ],
    ["services list", "listServices", {}],
    ["services show SIM", "getService", { name: "SIM" }],
    ["fix gateways", "listFixGateways", {}],
    ["fix gateway OE1", "getFixGateway", { gateway: "OE1" }],
    ["fix sessions OE1", "listFixSessions", { gateway: "OE1" }],
    ["fix session OE1 LEGACY", "getFixSession", { gateway: "OE1", session: "LEGACY" }],
  ])("%s --output json prints what the API returned", async (line, operation, input) => {
    const printed = await installation.json(...line.split(" "));
    expect(withoutTimes(printed)).toEqual(withoutTimes(await called(operation, input)));
  });

  it("trading status --output json prints what the API returned, and what is halted", async () => {
    const state = (await called("getTradingStatus", {})) as object;
    expect(await installation.json("trading", "status")).toEqual({ ...state, complete: true, halts: [] });
  });

  it("fix sessions without a gateway lists those of all gateways", async () => {
    const sessions = (await installation.json("fix", "sessions")) as { gatewayName: string }[];
    const gateways = (await called("listFixGateways")) as { gatewayName: string }[];
    expect(new Set(sessions.map(({ gatewayName }) => gatewayName))).toEqual(
      new Set(gateways.map(({ gatewayName }) => gatewayName)),
    );
  });

  it("commands: one object with what was asked, what happened, when, and the state at the end", async () => {
    const result = await installation.json("services", "disable", "TWAP", "--reason", "drill", "--wait");
    expect(result).toEqual({
      operation: "disableService",
      input: { name: "TWAP", reason: "drill" },
      requestId: expect.stringMatching(/^[\w.-]+$/),
      outcome: "done",
      message: "disable service TWAP: done, the engine shows it",
      askedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      acceptedAt: expect.stringMatching(/Z$/),
      seenAt: expect.stringMatching(/Z$/),
      state: expect.objectContaining({ name: "TWAP", enabled: false }),
    });
    expect(await installation.json("services", "enable", "TWAP", "--yes")).toMatchObject({
      outcome: "done",
      state: { enabled: true },
    });
  });

  it("FIX sessions are disabled, enabled and disconnected, and each is proven", async () => {
    for (const verb of ["disconnect", "disable", "enable"]) {
      const result = await installation.json(
        "fix",
        verb,
        "RFQ1",
        "EUR/USD desk",
        "--wait",
        ...(verb === "enable" ? ["--yes"] : []),
      );
      expect([verb, result]).toEqual([verb, expect.objectContaining({ outcome: "done", seenAt: expect.any(String) })]);
    }
  });

  it("adjust sets a position with exact decimals, and --expect refuses when it is another", async () => {
    const path = "Account[HEDGE1]/Symbol[AAPL]";
    const adjust = (...more: readonly string[]) => installation.run("positions", "adjust", path, ...more, "-o", "json");
    const set = await adjust("--size", "12345678901234567890.000000001", "--yes");
    expect(JSON.parse(set.stdout)).toMatchObject({
      outcome: "done",
      state: { size: "12345678901234567890.000000001" },
    });
    const more = await adjust(
      "--size",
      "-0.000000001",
      "--relative",
      "--expect",
      "12345678901234567890.0000000010",
      "--yes",
    );
    expect(JSON.parse(more.stdout)).toMatchObject({ outcome: "done", state: { size: "12345678901234567890" } });
    const refused = await adjust("--size", "1", "--expect", "5", "--yes");
    expect(refused.code).toBe(6);
    expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: "not-sent", requestId: null, askedAt: null });
    expect(refused.stderr).toContain("not sent: the size is 12345678901234567890 now, not 5");
  });

  it("risk update takes its input from --input, from standard input too, and shows the table then", async () => {
    const limits = { MaxOrderSize: "77", MaxPositionLong: "8000", MaxPositionShort: "8000" };
    const commands = [{ type: "UPDATE", conditions: { Account: "GOLD", Symbol: "SAP" }, limits }];
    const input = JSON.stringify({ projection: "Account/Symbol", commands });
    installation.workplace.write("update.json", input);
    const { code, stdout, stderr } = await installation.run("risk", "update", "--input", "update.json", "--yes");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^ {2}Account=GOLD Symbol=SAP MaxOrderSize: 2000 \(from Account=\* Symbol=\*\) -> 77$/m,
      ),
    });
    expect(stdout).toMatch(/^GOLD +SAP +77\b/m);
    const args = ["risk", "update", "--input", "-", "--yes", "-o", "json"];
    const again = await installation.workplace.run(args, input, installation.environment);
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "done", input: { commands } });
  });
});

describe("halt and prove", () => {
  it("says when it was requested, accepted and confirmed, in UTC with milliseconds, and the request id", async () => {
    const { code, stdout, stderr } = await installation.run("halt", "--reason", "drill");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    expect(stdout).toMatch(
      new RegExp(`^done +halt trading system-wide: done, the engine shows it\\nrequested +${time}\\n`),
    );
    expect(stdout).toMatch(new RegExp(`^accepted +${time}\\nconfirmed +${time}\\nrequest id +[\\w.-]+$`, "m"));
    expect(stdout).toMatch(/^halted +yes$/m);
    expect((await installation.run("resume", "--yes", "--wait")).code).toBe(0);
  });

  it("a path that the engine shows nothing at is halted, and that is said", async () => {
    const unknown = await installation.run("halt", "Account[NOSUCH]");
    expect(unknown.code).toBe(0);
    expect(unknown.stderr).toMatch(/warning: the engine shows no position, limit or open order at Account\[NOSUCH\]/);
    const status = await installation.run("trading", "status", "Account[NONE]");
    expect(status.stderr).toMatch(
      /are accepted\n.*warning: the engine shows no position.* at Account\[NONE\]: check how/,
    );
    const resumed = await installation.run("resume", "Account[NOSUCH]", "--yes", "--wait");
    expect(resumed.stderr).not.toContain("spelt");
  });

  it("a path that the engine shows nothing at, and where nothing is halted, is resumed, and that is said before the question", async () => {
    const { code, stderr } = await installation.run("resume", "Account[NOSUCH]", "--yes");
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^trading-admin: warning: the engine shows no position, limit or open order at Account\[NOSUCH\]: check how it is spelt; nothing is halted there\nnow /,
    );
    expect((await installation.run("resume", "Account[PENSION]", "--yes")).stderr).not.toContain("spelt");
  });

  it.each([
    ["a node with a limit", "Account[PENSION]"],
    ["a node by whose keys the engine lists no positions", "Source[FIXCLIENT2]"],
    ["such a node below another", "Account[GOLD]/Exchange[NASDAQ1]"],
  ])("D-CLI 21: there is no alarm at %s", async (_, path) => {
    const { code, stderr } = await installation.run("trading", "halt", path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await installation.run("resume", path, "--yes", "--wait");
  });

  it("D-CLI 21: an adjustment at a node that nothing knows makes a new position, and says so", async () => {
    const adjust = ["positions", "adjust", "Account[GOLD]/Symbol[NOSUCH]", "--size", "5", "--yes"];
    expect((await installation.run(...adjust)).stderr).toMatch(
      /warning: the engine shows no position, .* at Account\[GOLD\]\/Symbol\[NOSUCH\]: .*; the adjustment makes a new position/,
    );
    expect((await installation.run(...adjust)).stderr).not.toContain("warning");
  });

  it("a list of positions without a projection names those that the engine has", async () => {
    const { code, stderr } = await installation.run("positions", "list");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /missing: <projection>, such as Account\/Symbol; .*the engine has: Account\/Symbol, Exchange/,
      ),
    });
  });

  it("an empty list of positions has the keys of its projection and no total", async () => {
    const { stdout } = await installation.run("positions", "list", "Account/Symbol", "--account", "NOSUCH");
    expect(stdout).toMatch(/^ACCOUNT +SYMBOL +SIZE .*\n$/);
  });

  it("D-CLI 4: trading status PATH shows what holds it: not halted here is false comfort when a parent is", async () => {
    await installation.run("halt", "Account[GOLD]", "--reason", "drill");
    const { stdout, stderr } = await installation.run("trading", "status", "Source[FIXCLIENT1]/Account[GOLD]");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["PROJECTION PATH", "HALTED", "REASON", "BY", "SINCE"],
      ["(system-wide)", "no", expect.any(String), "-", "-"],
      ["Source[FIXCLIENT1]", "no", "-", "-", "-"],
      ["Account[GOLD]", "yes", "drill", "desk", expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d/)],
      ["Source[FIXCLIENT1]/Account[GOLD]", "no", "-", "-", "-"],
      [""],
    ]);
    expect(stderr).toContain("orders at Source[FIXCLIENT1]/Account[GOLD] are refused: halted at Account[GOLD]\n");
    await installation.run("resume", "Account[GOLD]", "--yes", "--wait");
  });

  it("D-CLI 4: a resumption of a path shows before it asks that what holds it stays halted", async () => {
    await installation.run("halt", "--reason", "drill");
    const { code, stderr } = await installation.run("resume", "Account[GOLD]", "--yes");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^then +halted: no, but orders at Account\[GOLD\] are refused: halted system-wide$/m);
    await installation.run("resume", "--yes", "--wait");
    await installation.run("halt", "Account[GOLD]", "--wait");
    expect((await installation.run("resume", "Account[GOLD]", "--yes")).stderr).toMatch(/^then +halted: no$/m);
  });

  it("a resumption of what is not halted says so before it asks, and where to see what is", async () => {
    await installation.run("halt", "Account[GOLD]", "--wait");
    const { code, stderr } = await installation.run("resume", "--yes");
    await installation.run("resume", "Account[GOLD]", "--yes", "--wait");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^then +halted: no, as now \(trading-admin trading halts lists what is halted\)$/m);
  });

  it("what was meant for the path and came after --wait is not a path: nothing is sent", async () => {
    const { code, stderr } = await installation.run("halt", "--wait", "Account[GOLD]");
    expect(code).toBe(2);
    expect(stderr).toMatch(/--wait: "Account\[GOLD\]" is not a valid duration .*; nothing was sent/);
    expect(await installation.json("trading", "status")).toMatchObject({ halted: false });
  });
});

describe("--curl", () => {
  it("prints the request without a secret and sends nothing; pasted into a shell it does the same", async () => {
    const { code, stdout, stderr } = await installation.run("halt", "--reason", "it's a drill", "--curl");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^curl .* -X POST -u desk:"\$TRADING_ADMIN_PASSWORD" /);
    expect(stdout).not.toContain(PASSWORD_WORD);
    expect(await installation.json("trading", "status")).toMatchObject({ halted: false });
  });
});

const PASSWORD_WORD = "horse";

/** Counters and times of FIX move by themselves. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value, (key, field) =>
    /Timestamp|messages|bytes|Sequence/.test(key) ? undefined : field,
  );
  return JSON.parse(text);
}

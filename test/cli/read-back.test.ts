import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { accept, json, type Script, ScriptedServer } from "../client/scripted-server.ts";
import { exampleReply } from "../support/example-reply.ts";
import { type Ended, requireCommand } from "./command.ts";
import { detailed, environmentOf, fixServer, type ScriptedSession } from "./fix/gateways.ts";
import { Workplace } from "./workplace.ts";

beforeAll(requireCommand);

async function run(server: ScriptedServer, ...args: readonly string[]): Promise<Ended> {
  const workplace = new Workplace();
  onTestFinished(() => workplace.close());
  return workplace.run(args, "", environmentOf(server));
}

/** An engine that accepts every command, and shows this from then on whatever was asked. */
function showing(state: object, accepted: object | null = null): Script {
  return (response, { method, path }) => {
    const isCommand = method === "POST" && !path.endsWith("/positions");
    if (!isCommand) json(response, 200, state);
    else if (accepted) json(response, 200, accepted);
    else accept(response);
  };
}

const PATH = "Account[A]/Symbol[B]";
const VALUES = { unrealizedPnL: "0", marketValue: "0", totalCommission: "0", openBuySize: "0", openSellSize: "0" };
const position = (fields: object): object[] => [
  {
    projection: PATH,
    account: "A",
    symbol: "B",
    size: "5",
    averageCost: null,
    realizedPnL: null,
    ...VALUES,
    ...fields,
  },
];
const table = (...rows: readonly Record<string, string | null>[]): object => ({
  projection: "Account",
  rows: rows.map((limits, index) => ({ conditions: { Account: index === 0 ? "A" : "*" }, limits })),
});
const session = (status: ScriptedSession["status"]): object =>
  detailed({ gateway: "OE1", id: "A", ...(status && { status }) });

const service = (enabled: boolean): object => exampleReply("getService", { name: "S", enabled });

const UPDATE = ["risk", "update", "Account", "--yes", "--commands"];
const MAX_10 = JSON.stringify([{ type: "UPDATE", conditions: { Account: "A" }, limits: { Max: "10" } }]);
const DELETE = JSON.stringify([{ type: "DELETE", conditions: { Account: "A" } }]);
const TWICE = JSON.stringify([
  { type: "DELETE", conditions: { Account: "A" } },
  { type: "INSERT", conditions: { Account: "A" }, limits: { Max: "10" } },
]);
const adjust = (...args: readonly string[]): string[] => ["positions", "adjust", PATH, "--yes", "--size", ...args];

const NOT_SHOWN: [name: string, args: readonly string[], state: object, accepted: object | null][] = [
  ["services enable", ["services", "enable", "S", "--yes"], service(false), null],
  ["services disable", ["services", "disable", "S"], service(true), null],
  ["fix enable", ["fix", "enable", "OE1", "A", "--yes"], session("Disabled"), session("Disabled")],
  ["fix disable", ["fix", "disable", "OE1", "A"], session("Connected"), session("Connected")],
  ["fix disconnect", ["fix", "disconnect", "OE1", "A"], session("Connected"), session("Connected")],
  ["resume", ["resume", "--yes"], { projectionPath: "", halted: true, reason: "A" }, null],
  ["a limit that is another", [...UPDATE, MAX_10], table({ Max: "11" }), table({ Max: "11" })],
  ["a limit that is not there", [...UPDATE, MAX_10], table({}), table({})],
  [
    "a row that is still there",
    [...UPDATE, DELETE],
    table({ Max: "1" }, { Max: "1" }),
    table({ Max: "1" }, { Max: "1" }),
  ],
  ["a position of another size", adjust("6"), position({}), null],
  ["a position that does not exist", adjust("6"), [], null],
  ["an average cost that was not taken", adjust("5", "--average-cost", "7"), position({ averageCost: "6" }), null],
  ["a PnL that is still tracked", adjust("5", "--realized-pnl", "NaN"), position({ realizedPnL: "1" }), null],
];

describe("D-CLI 17: what was read back decides whether a command is done", () => {
  it.each(NOT_SHOWN)("%s: exit code 7, and the first word is not done", async (_, args, state, accepted) => {
    const { code, stdout, stderr } = await run(await ScriptedServer.start(showing(state, accepted)), ...args);
    expect([code, stdout, stderr]).toEqual([
      7,
      expect.stringMatching(/^outcome +not-proven$/m),
      expect.stringMatching(
        /accepted, but not proven: the engine did not show it within \d+ ms.*read the state before/,
      ),
    ]);
    expect(stdout).not.toMatch(/^done /m);
  });

  it("a position that trades: the size that it has, in place of the sum", async () => {
    const sizes = ["5", "1205"];
    const server = await ScriptedServer.start((response, { path }) => {
      if (path.endsWith("/adjust")) accept(response);
      else json(response, 200, position({ size: sizes.length > 1 ? sizes.shift() : sizes[0] }));
    });
    const { code, stderr } = await run(server, ...adjust("-2", "--relative"));
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /within \d+ ms: the size is 1205, not 3; it may have traded meanwhile; read the state before/,
    );
  });

  it.each([
    ["a limit, whatever its zeros", [...UPDATE, MAX_10], table({ Max: "10.00" }), table({ Max: "10.00" })],
    [
      "a row that was deleted and inserted in one update",
      [...UPDATE, TWICE],
      table({ Max: "10" }),
      table({ Max: "10" }),
    ],
    ["a limit that the table shows only later", [...UPDATE, MAX_10], table({ Max: "10" }), table({ Max: "1" })],
    [
      "a position",
      adjust("5.0", "--average-cost", "7", "--realized-pnl", "NaN"),
      position({ averageCost: "7.0" }),
      null,
    ],
    ["a session", ["fix", "enable", "OE1", "A", "--yes"], session("Disconnected"), session("Disconnected")],
  ])("done where it shows: %s", async (_, args, state, accepted) => {
    const { code, stdout } = await run(await ScriptedServer.start(showing(state, accepted)), ...args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^done .*: done, the engine shows it$/m)]);
  });

  it("where nothing was read back, by --no-wait, a command that was accepted says so, and no more", async () => {
    const server = await ScriptedServer.start(showing(service(false)));
    const { code, stdout } = await run(server, "services", "enable", "S", "--yes", "--no-wait");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/: accepted by the engine$/m)]);
  });
});

describe("D-CLI 18: fix enable --wait-logon waits until the peer is there, not only until it may come", () => {
  /** The peer logs on with the reading of this number after the command, or never. */
  async function enabling(logsOnAfter: number, ...args: readonly string[]): Promise<Ended> {
    let status: ScriptedSession["status"] = "Disabled";
    let readings = 0;
    const server = await fixServer(
      () => [{ gateway: "OE1", id: "A", ...(status && { status }) }],
      (response, { method }) => {
        if (method === "POST") {
          status = "Disconnected";
          json(response, 200, session(status));
          return true;
        }
        if (status === "Disconnected") readings += 1;
        if (readings > logsOnAfter) status = "Connected";
        return false;
      },
    );
    return run(server, "fix", "enable", "OE1", "A", "--yes", ...args);
  }

  it("done when it has logged on", async () => {
    const { code, stdout } = await enabling(3, "--wait-logon");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^status +Connected$/m)]);
  });

  it("exit code 7 when it has not in the time that is given", async () => {
    const { code, stdout, stderr } = await enabling(1_000, "--wait-logon", "700ms");
    expect([code, stdout]).toEqual([7, expect.stringMatching(/^status +Disconnected$/m)]);
    expect(stderr).toContain("accepted, but not proven: its peer did not log on within 700 ms");
  });

  it("--wait alone is content when it may log on", async () => {
    expect(await enabling(1_000, "--wait")).toMatchObject({ code: 0 });
  });
});

import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { accept, errorBody, json, type Script, ScriptedServer } from "../client/scripted-server.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

beforeAll(requireCommand);

const CREDENTIALS = { TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };

const NODE = "Account[GOLD]/Symbol[AAPL]";

/** A gateway whose engine halts what it is asked to; what it answers to a halt and of positions is the test's. */
interface Behaviour {
  readonly positions: Script;
  /** Whether trading was halted before, with the reason "A". */
  readonly wasHalted?: boolean;
  /** Whether the halt gets through; its response is lost in any case where this is given. */
  readonly lost?: "applied" | "not applied";
}

async function halt(args: readonly string[], { positions, wasHalted = false, lost }: Behaviour): Promise<Ended> {
  let [halted, reason] = wasHalted ? [true, "A"] : [false, null as string | null];
  const server = await ScriptedServer.start((response, request, count) => {
    if (request.path.endsWith("/positions")) return positions(response, request, count);
    if (request.method === "GET") return json(response, 200, { projectionPath: "", halted, reason });
    if (lost !== "not applied") [halted, reason] = [true, JSON.parse(request.body).reason ?? "Trading halted"];
    return lost === undefined ? accept(response) : response.destroy();
  });
  const workplace = new Workplace();
  onTestFinished(() => workplace.close());
  return workplace.run(["halt", "--cancel-orders", "-o", "json", ...args], "", {
    ...CREDENTIALS,
    TRADING_ADMIN_URL: server.origin,
  });
}

/** Only `Account/Symbol` is configured; `sizeAt` says the open size at its only node, by the number of its reads. */
function openSize(sizeAt: (count: number) => string): Script {
  let reads = 0;
  return (response, { body }) => {
    if (JSON.parse(body).projection !== "Account/Symbol") {
      return json(response, 400, errorBody(400, "no such projection; configured are: Account/Symbol"));
    }
    reads += 1;
    const values = { averageCost: null, realizedPnL: null, unrealizedPnL: null, marketValue: null };
    const sizes = { size: "1", totalCommission: null, openBuySize: sizeAt(reads), openSellSize: "0" };
    return json(response, 200, [{ projection: NODE, account: "GOLD", symbol: "AAPL", ...values, ...sizes }]);
  };
}

const stays = openSize(() => "50");
const gone = openSize(() => "0");
const away: Script = (response) => json(response, 504, errorBody(504, "no response in 10 s"));

describe("D-CLI 19: halt --cancel-orders is done only where open sizes were read and are zero", () => {
  it.each<[what: string, args: string[], behaviour: Behaviour, code: number, words: RegExp]>([
    ["no order is open", [], { positions: gone }, 0, /done, the engine shows it; no open orders$/],
    [
      "orders go within a moment",
      [],
      { positions: openSize((count) => (count < 4 ? "50" : "0")) },
      0,
      /no open orders$/,
    ],
    [
      "an order stays",
      ["--wait", "1s"],
      { positions: stays },
      7,
      /open orders stay, open: 50 at Account\[GOLD\]\/Symbol\[AAPL\]$/,
    ],
    ["open sizes cannot be read", ["--wait", "1s"], { positions: away }, 7, /cancels requested, not proven: /],
    ["positions are not understood", [], { positions: (response) => json(response, 200, {}) }, 7, /not proven: /],
    ["nobody waits", ["--no-wait"], { positions: gone }, 7, /cancels requested, not proven: open sizes were not read$/],
    [
      "the response is lost and no order is open",
      [],
      { positions: gone, lost: "applied" },
      0,
      /was lost; no open orders$/,
    ],
    [
      "the response is lost and an order stays",
      ["--wait", "1s"],
      { positions: stays, lost: "applied" },
      3,
      /open: 50 at Account/,
    ],
    [
      "the response is lost and open sizes cannot be read",
      ["--wait", "1s"],
      { positions: away, lost: "applied" },
      3,
      /not proven/,
    ],
    [
      "the halt was lost and trading was halted before",
      ["--wait", "1s"],
      { positions: gone, wasHalted: true, lost: "not applied" },
      3,
      /does not prove it \(.*halted: yes, reason: A\); sending it again does no harm, otherwise stop it at the engine$/,
    ],
    [
      "the halt was lost, with another reason than that before",
      ["--wait", "1s", "--reason", "B"],
      { positions: gone, wasHalted: true, lost: "not applied" },
      3,
      /may have been applied/,
    ],
  ])("%s", async (_, args, behaviour, code, words) => {
    const ended = await halt(args, behaviour);
    const { outcome, message, state } = JSON.parse(ended.stdout);
    expect([ended.code, message]).toEqual([code, expect.stringMatching(words)]);
    expect(outcome).toBe({ 0: "done", 3: "unknown", 7: "not-proven" }[code]);
    if (args[0] !== "--no-wait") expect(state).toMatchObject({ halted: true });
  });

  it("orders that stay are in the output for programs, with their sizes", async () => {
    const { stdout } = await halt(["--wait", "500ms"], { positions: stays });
    expect(JSON.parse(stdout).openOrders).toEqual({
      kind: "open",
      orders: [{ projectionPath: NODE, openBuySize: "50", openSellSize: "0" }],
    });
  });

  it("a halt without --cancel-orders reads no positions of its own", async () => {
    const server = await ScriptedServer.start((response, { method }) =>
      method === "GET" ? json(response, 200, { projectionPath: "", halted: true, reason: "A" }) : accept(response),
    );
    const workplace = new Workplace();
    onTestFinished(() => workplace.close());
    const ended = await workplace.run(["halt"], "", { ...CREDENTIALS, TRADING_ADMIN_URL: server.origin });
    expect(ended.code).toBe(0);
    expect(server.requests.map(({ path }) => path).filter((path) => path.endsWith("/positions"))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { AdminClient } from "../../src/client/client.ts";
import { NotAppliedError, ReadFailedError } from "../../src/client/errors.ts";
import { openOrdersWords, readOpenOrders } from "../../src/client/open-orders.ts";
import type { Output } from "../../src/core/operations/table.ts";

type Position = Output<"listPositions">[number];
type Client = Pick<AdminClient, "listPositions" | "describeEngine">;

const OFTEN = { intervalMs: 5 };

/** A position with these open sizes. */
function position(projection: string, openBuySize: string | null, openSellSize: string | null = "0"): Position {
  const values = {
    averageCost: null,
    realizedPnL: null,
    unrealizedPnL: null,
    marketValue: null,
    totalCommission: null,
  };
  return { projection, size: "1", ...values, openBuySize, openSellSize };
}

/** What an engine says of a projection: its positions, undefined where it does not have it. */
type Answer = (projection: string) => readonly Position[] | undefined;

/** An engine that knows position projections; its refusal names those in `named`. */
function engine(answer: Answer, named = ""): Client & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    describeEngine: () => {
      const reason = "The engine does not describe itself";
      throw new ReadFailedError({ operation: "describeEngine", requestId: "r", reason, status: 404 });
    },
    async listPositions({ projection }) {
      asked.push(projection);
      const found = answer(projection);
      if (found) return [...found];
      const reason = `"${projection}" is not a position projection${named}`;
      throw new ReadFailedError({ operation: "listPositions", requestId: "r", reason, status: 400 });
    },
  };
}

function having(lists: Readonly<Record<string, readonly Position[]>>, named?: string) {
  return engine((projection) => lists[projection], named);
}

async function found(client: Client, path = ""): Promise<string> {
  return openOrdersWords(await readOpenOrders(client, path, { ...OFTEN, timeoutMs: 200 }));
}

describe("D-ENG 29: the projections of open sizes are those that the engine describes", () => {
  it("and no others are asked for", async () => {
    const lists = having({ "Account/ModuleKey/Symbol": [position("Account[GOLD]/ModuleKey[M]/Symbol[AAPL]", "5")] });
    const described = { name: "small", operations: [], positionProjections: ["Account/ModuleKey/Symbol"] };
    const client = { ...lists, describeEngine: async () => described };
    expect(await found(client)).toBe("open orders stay, open: 5 at Account[GOLD]/ModuleKey[M]/Symbol[AAPL]");
    expect(new Set(lists.asked)).toEqual(new Set(["Account/ModuleKey/Symbol"]));
  });
});

describe("D-CLI 19: after cancels were requested, open sizes of positions say whether orders are still open", () => {
  const AAPL = "Account[GOLD]/Symbol[AAPL]";

  it.each<[what: string, lists: Readonly<Record<string, readonly Position[]>>, path: string, words: string | RegExp]>([
    ["open sizes are zero", { "Account/Symbol": [position(AAPL, "0.00")] }, "", "no open orders"],
    ["an order is open", { "Account/Symbol": [position(AAPL, "50")] }, "", `open orders stay, open: 50 at ${AAPL}`],
    ["orders are open on both sides", { "Account/Symbol": [position(AAPL, "50", "20.5")] }, "", /open: 70\.5 at/],
    [
      "sizes are not known",
      { "Account/Symbol": [position(AAPL, null, null)] },
      "",
      /requested, not proven: no position/,
    ],
    ["one side is not known", { "Account/Symbol": [position(AAPL, "0", null)] }, "", /not proven/],
    [
      "one projection knows sizes and none is open, another does not know any",
      {
        "Account/Currency": [position("Account[GOLD]/Currency[USD]", null, null)],
        "Account/Symbol": [position(AAPL, "0")],
      },
      "",
      "no open orders",
    ],
    [
      "one projection shows none and another shows an order",
      {
        "Account/Symbol": [position(AAPL, "0")],
        "Exchange/Symbol": [position("Exchange[X]/Symbol[AAPL]", "0", "7")],
      },
      "",
      "open orders stay, open: 7 at Exchange[X]/Symbol[AAPL]",
    ],
    [
      "one projection is empty and another shows an order",
      {
        "Account/Symbol": [],
        "Trader/Symbol": [position("Trader[T]/Symbol[AAPL]", "7")],
      },
      "",
      /open: 7 at Trader\[T\]/,
    ],
    [
      "one projection is empty and another has a position whose sizes are not known",
      {
        "Account/Symbol": [],
        "Trader/Symbol": [position("Trader[T]/Symbol[AAPL]", null, null)],
      },
      "",
      /not proven/,
    ],
    ["the engine has no position in a projection that it has", { "Account/Symbol": [] }, "", "no open orders"],
    [
      "the engine has none of the projections",
      {},
      "",
      /not proven: the engine has none of the position projections Acc/,
    ],
    [
      "orders are open at another node",
      {
        "Account/Symbol": [position(AAPL, "0"), position("Account[SILVER]/Symbol[AAPL]", "9")],
      },
      "Account[GOLD]",
      "no open orders",
    ],
    [
      "orders are open below the node, spelt in another order",
      {
        "Source/Account/Symbol": [position("Source[A]/Account[GOLD]/Symbol[AAPL]", "3")],
      },
      "Symbol[AAPL]/Account[GOLD]",
      /open: 3 at Source\[A\]/,
    ],
    [
      "the node is finer than every projection, where orders are open",
      {
        "Account/Symbol": [position(AAPL, "3")],
      },
      "Account[GOLD]/Exchange[X]",
      /not proven/,
    ],
    [
      "the node is finer than every projection, where nothing is open",
      {
        "Account/Symbol": [position(AAPL, "0")],
      },
      "Account[GOLD]/Exchange[X]",
      "no open orders",
    ],
  ])("%s", async (_, lists, path, words) => {
    const said = await found(having(lists), path);
    if (typeof words === "string") expect(said).toBe(words);
    else expect(said).toMatch(words);
  });

  it("an engine that takes every projection and shows nothing anywhere proves nothing", async () => {
    expect(await found(engine(() => []))).toMatch(/not proven/);
  });

  it("an engine that takes every projection and shows an order shows an order", async () => {
    expect(await found(engine(() => [position(AAPL, "500")]))).toBe(`open orders stay, open: 500 at ${AAPL}`);
  });

  it("D-CLI 20: projections that the engine's refusal names are read, with keys of its own", async () => {
    const lists = { "Desk/Account/Symbol": [position("Desk[D]/Account[GOLD]/Symbol[AAPL]", "4")] };
    const client = having(lists, "; configured are: Desk/Account/Symbol.");
    expect(await found(client)).toBe("open orders stay, open: 4 at Desk[D]/Account[GOLD]/Symbol[AAPL]");
  });

  it("orders that go within a moment are waited for, and what shows none is not read again", async () => {
    let reads = 0;
    const client = engine((projection) => {
      if (projection === "Exchange/Symbol") return [position("Exchange[X]/Symbol[AAPL]", "0")];
      if (projection !== "Account/Symbol") return undefined;
      reads += 1;
      return [position(AAPL, reads < 4 ? "50" : "0")];
    });
    expect(await readOpenOrders(client, "", { ...OFTEN, timeoutMs: 5_000 })).toEqual({ kind: "none" });
    expect(client.asked.filter((projection) => projection === "Exchange/Symbol")).toHaveLength(1);
    expect(client.asked.filter((projection) => projection === "Account/Symbol")).toHaveLength(4);
  });

  it("a read that fails for a while is repeated, and one that fails in any case leaves it unproven", async () => {
    let isAway = true;
    const away = (): never => {
      throw new ReadFailedError({ operation: "listPositions", requestId: "r", reason: "no bus", status: 503 });
    };
    const passing = engine((projection) => {
      if (projection === "Trader/Symbol" && isAway) {
        isAway = false;
        away();
      }
      return projection.endsWith("/Symbol") ? [position(AAPL, "0")] : undefined;
    });
    expect(await found(passing)).toBe("no open orders");
    const failing = engine((projection) => (projection === "Trader/Symbol" ? away() : [position(AAPL, "0")]));
    expect(await found(failing)).toMatch(/^cancels requested, not proven: open sizes could not be read: .*no bus/);
    const denied = engine(() => {
      throw new NotAppliedError({ operation: "listPositions", requestId: "r", reason: "no", status: 404 });
    });
    expect(await found(denied)).toMatch(/^cancels requested, not proven: .*no/);
  });

  it("names five paths and counts the others", async () => {
    const rows = Array.from({ length: 8 }, (_, at) => position(`Account[A${at}]/Symbol[X]`, "1"));
    expect(await found(having({ "Account/Symbol": rows }))).toMatch(/1 at Account\[A4\]\/Symbol\[X\] and 3 more$/);
  });
});

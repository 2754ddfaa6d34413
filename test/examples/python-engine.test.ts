import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import type { WebSocketTransport } from "../../transports/websocket.ts";
import { recordExchanges } from "../docs/bus-recording.ts";
import { ask, dial } from "./python-engine-gateway.ts";
import { startPythonEngine } from "./python-engine-process.ts";
import type { ServingProcess } from "./serving-process.ts";

let engine: ServingProcess;
let transport: WebSocketTransport;

// The first run on a machine may have to install a package.
beforeAll(async () => {
  engine = await startPythonEngine();
  transport = await dial({ url: engine.url });
}, 180_000);

afterAll(async () => {
  await transport?.close();
  await engine?.close();
});

/** Members whose values are those of a moment or of a market, which the Python engine does not have. */
const OWN = new Set([
  ...["updateTimestamp", "connectTimestamp", "disconnectTimestamp", "localPort", "remotePort"],
  ...["unrealizedPnL", "marketValue", "since"],
]);

/** The value with a question mark in place of each member that is an engine's own. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => (OWN.has(key) ? "?" : member));
}

function refusal(reply: EngineReply): string {
  return reply.ok ? "accepted" : `${reply.refusal}: ${reply.message}`;
}

describe("D-PKG 6: an engine in another language, written from the published contract", () => {
  it("answers a session over all operations as the simulated engine does", async () => {
    for (const { method, request, reply } of await recordExchanges()) {
      if (method === "describeEngine") continue;
      const answer = await ask(transport, method, JSON.parse(request).params.input);
      const expected = { ok: true, result: JSON.parse(reply).result };
      expect({ method, ...(comparable(answer) as object) }).toEqual({ method, ...(comparable(expected) as object) });
    }
  });

  it("D-ENG 28: describes itself as the simulated engine does, but for its name", async () => {
    const recorded = (await recordExchanges()).find(({ method }) => method === "describeEngine");
    const { name: _, version: __, ...expected } = JSON.parse(recorded?.reply ?? "").result;
    expect(await ask(transport, "describeEngine", {})).toMatchObject({
      ok: true,
      result: { name: "Python engine", ...expected },
    });
  });

  it("D-ENG 1: drops what comes after its deadline, and nothing is changed", async () => {
    const late = { projectionPath: "Account[LATE]", reason: "too late", cancelOrders: false };
    expect(refusal(await ask(transport, "haltTrading", late, Date.now() - 1))).toMatch(
      /^rejected: Dropped: the deadline/,
    );
    const status = await ask(transport, "getTradingStatus", { projectionPath: "Account[LATE]" });
    expect(status).toMatchObject({ ok: true, result: { halted: false, reason: null } });
  });

  it("D-ENG 8: a risk update is all or nothing, and the reason names the command", async () => {
    const before = await ask(transport, "getRiskTable", { projection: "Trader/Symbol" });
    const conditions = { Trader: "bjones", Symbol: "AAPL" };
    const reply = await ask(transport, "updateRiskTable", {
      projection: "Trader/Symbol",
      commands: [
        { type: "INSERT", conditions, limits: { MaxOrderSize: "10" } },
        { type: "INSERT", conditions },
      ],
    });
    expect(refusal(reply)).toBe("rejected: commands[1] (INSERT): the row exists already");
    expect(await ask(transport, "getRiskTable", { projection: "Trader/Symbol" })).toEqual(before);
  });

  it("D-VAL 3: a value of a path may hold / and ]; a malformed path is rejected", async () => {
    const projectionPath = "Symbol[BTC/USD]/Account[A]B]";
    await ask(transport, "haltTrading", { projectionPath, reason: "odd names", cancelOrders: false });
    const sameNode = { projectionPath: "Account[A]B]/Symbol[BTC/USD]" };
    expect(await ask(transport, "getTradingStatus", sameNode)).toMatchObject({ result: { halted: true } });
    for (const path of ["Account", "Account[]", "Account[A]/", "Account[A]x", "Desk[A]", "Account[A]/Account[B]"]) {
      expect(refusal(await ask(transport, "getTradingStatus", { projectionPath: path })), path).toMatch(/^rejected: /);
    }
  });

  it("D-VAL 1: no digit is lost, and what cannot be computed is rejected", async () => {
    const projectionPath = "Exchange[CME]/Symbol[ESZ26]";
    const large = `${"9".repeat(61)}.25`;
    await ask(transport, "adjustPosition", { projectionPath, size: large, relative: false, averageCost: "0.10" });
    const filtered = { projection: "Exchange/Symbol", symbol: "ESZ26" };
    expect(await ask(transport, "listPositions", filtered)).toMatchObject({
      result: [{ size: large, averageCost: "0.1", realizedPnL: "0" }],
    });
    const longer = await ask(transport, "adjustPosition", { projectionPath, size: "0.125", relative: true });
    expect(refusal(longer)).toMatch(/^rejected: size: .* more than 64 characters$/);
  });

  it("unknown resources are not found, unknown projections and filters are rejected", async () => {
    const session = { gateway: "OE1", session: "NOBODY" };
    expect(refusal(await ask(transport, "getService", { name: "toString" }))).toMatch(/^not-found: /);
    expect(refusal(await ask(transport, "getFixGateway", { gateway: "OE9" }))).toMatch(/^not-found: /);
    expect(refusal(await ask(transport, "disableFixSession", session))).toMatch(/^not-found: /);
    expect(refusal(await ask(transport, "getRiskTable", { projection: "Symbol" }))).toMatch(/^rejected: /);
    expect(refusal(await ask(transport, "listPositions", { projection: "Account" }))).toMatch(/^rejected: /);
    const filter = { projection: "Account/Symbol", exchange: "CME" };
    expect(refusal(await ask(transport, "listPositions", filter))).toMatch(/^rejected: filter "exchange"/);
  });

  it("carries requests out in the order in which they were sent", async () => {
    const sent = Array.from({ length: 200 }, (_, index) =>
      ask(transport, "adjustPosition", {
        projectionPath: "Trader[dlee]/Symbol[SAP]",
        size: String(index),
        relative: index % 2 === 1,
      }),
    );
    await Promise.all(sent);
    const filtered = { projection: "Trader/Symbol", traderId: "dlee" };
    expect(await ask(transport, "listPositions", filtered)).toMatchObject({ result: [{ size: String(198 + 199) }] });
  });
});

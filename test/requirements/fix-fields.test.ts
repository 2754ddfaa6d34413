import { describe, expect } from "vitest";
import { verifies } from "../support/verifies.ts";
import type { World } from "../support/world.ts";
import { DETAIL_FORM, GATEWAY, LIST_FORM, NO_CONNECTION, SESSION, START } from "./support/fix.ts";
import { expectOk, ok } from "./support/responses.ts";

type Fields = Record<string, unknown>;

const detail = (world: World, name = SESSION): Promise<Fields> => ok(world.call("getFixSession", name));
const gateway = (world: World): Promise<Fields> => ok(world.call("getFixGateway", { gateway: "OE1" }));

/** One field of all sessions of a gateway, by session. */
async function column(world: World, gatewayName: string, field: string): Promise<Fields> {
  const sessions = await ok<Fields[]>(world.call("listFixSessions", { gateway: gatewayName }));
  return Object.fromEntries(sessions.map((session) => [session.sessionId, session[field]]));
}

describe("FIX gateway", () => {
  verifies("FIX-GATEWAY-LIST-FORM", async (world) => {
    const [first] = await ok<Fields[]>(world.call("listFixGateways"));
    expect(first).toEqual({ gatewayName: "OE1", gatewayType: "OrderEntry", updateTimestamp: START });
  });

  verifies("FIX-GATEWAY-NAME", async (world) => {
    const names = (await ok<Fields[]>(world.call("listFixGateways"))).map(({ gatewayName }) => gatewayName);
    expect(names).toEqual(["OE1", "MD1", "RFQ1", "VENUES"]);
    for (const name of names) {
      expect(await ok<Fields>(world.call("getFixGateway", { gateway: name }))).toMatchObject({ gatewayName: name });
    }
  });

  verifies("FIX-GATEWAY-TYPE", async (world) => {
    const types = (await ok<Fields[]>(world.call("listFixGateways"))).map(({ gatewayType }) => gatewayType);
    expect(types).toEqual(["OrderEntry", "MarketData", "RFQ", "TradeConnector"]);
  });

  verifies("FIX-GATEWAY-UPDATED", async (world) => {
    world.clock.advance(1_500);
    expect((await gateway(world)).updateTimestamp).toBe(START);
    await world.call("disconnectFixSession", SESSION);
    world.clock.advance(1_500);
    expect((await gateway(world)).updateTimestamp).toBe(START + 1_500);
  });

  verifies("FIX-GATEWAY-DETAIL-FORM", async (world) => {
    expectOk(await world.call("getFixGateway", { gateway: "OE1" }), GATEWAY);
  });

  verifies("FIX-GATEWAY-SESSIONS", async (world) => {
    for (const [name, sessions] of Object.entries({ OE1: 4, MD1: 3, RFQ1: 2, VENUES: 3 })) {
      expect(await ok<Fields>(world.call("getFixGateway", { gateway: name }))).toMatchObject({ sessions });
    }
  });

  verifies("FIX-GATEWAY-CONNECTIONS", async (world) => {
    expect(await gateway(world)).toMatchObject({ acceptedConnections: 2, rejectedConnections: 0 });
    world.engine.logonFixSession({ gateway: "OE1", session: "LEGACY" });
    expect(await gateway(world)).toMatchObject({ acceptedConnections: 2, rejectedConnections: 1 });
    world.engine.logonFixSession({ gateway: "OE1", session: "FIXCLIENT3" });
    expect(await gateway(world)).toMatchObject({ acceptedConnections: 3, rejectedConnections: 1 });
  });

  verifies("FIX-GATEWAY-MESSAGES", async (world) => {
    expect(await gateway(world)).toMatchObject({ messagesSent: 2, messagesReceived: 2 });
    world.engine.logonFixSession({ gateway: "OE1", session: "FIXCLIENT3" });
    expect(await gateway(world)).toMatchObject({ messagesSent: 3, messagesReceived: 3 });
  });

  verifies("FIX-GATEWAY-BYTES", async (world) => {
    expect(await gateway(world)).toMatchObject({ bytesSent: 192, bytesReceived: 256 });
    world.engine.logonFixSession({ gateway: "OE1", session: "FIXCLIENT3" });
    expect(await gateway(world)).toMatchObject({ bytesSent: 288, bytesReceived: 384 });
  });
});

describe("FIX session, list form", () => {
  verifies("FIX-SESSION-LIST-FORM", async (world) => {
    const [first] = await ok<Fields[]>(world.call("listFixSessions", { gateway: "OE1" }));
    expect(first).toEqual({ ...LIST_FORM, remotePort: expect.any(Number) });
  });

  verifies("FIX-SESSION-GATEWAY", async (world) => {
    for (const name of ["OE1", "VENUES"]) {
      expect(new Set(Object.values(await column(world, name, "gatewayName")))).toEqual(new Set([name]));
    }
  });

  verifies("FIX-SESSION-ID", async (world) => {
    const ids = Object.keys(await column(world, "RFQ1", "sessionId"));
    expect(ids).toEqual(["EUR/USD desk", "BONDS"]);
    for (const session of ids) {
      expect(await detail(world, { gateway: "RFQ1", session })).toMatchObject({ sessionId: session });
    }
  });

  verifies("FIX-SESSION-STATUS", async (world) => {
    expect(await column(world, "OE1", "status")).toEqual({
      FIXCLIENT1: "Connected",
      FIXCLIENT2: "Connected",
      FIXCLIENT3: "Disconnected",
      LEGACY: "Disabled",
    });
  });

  verifies("FIX-SESSION-LOCAL-PORT", async (world) => {
    expect(await column(world, "OE1", "localPort")).toEqual({
      FIXCLIENT1: 9001,
      FIXCLIENT2: 9001,
      FIXCLIENT3: null,
      LEGACY: null,
    });
  });

  verifies("FIX-SESSION-REMOTE-IP", async (world) => {
    expect(await column(world, "VENUES", "remoteIp")).toEqual({
      NASDAQ1: "192.0.2.10",
      CME1: "192.0.2.20",
      XETRA1: null,
    });
  });

  verifies("FIX-SESSION-REMOTE-PORT", async (world) => {
    expect(await column(world, "VENUES", "remotePort")).toEqual({ NASDAQ1: 15001, CME1: 15002, XETRA1: null });
  });

  verifies("FIX-SESSION-INBOUND", async (world) => {
    const session = { gateway: "MD1", session: "CHARTS" };
    expect((await detail(world, session)).inboundSequence).toBe(2);
    await world.call("disconnectFixSession", session);
    world.engine.logonFixSession(session);
    expect((await detail(world, session)).inboundSequence).toBe(3);
    expect((await column(world, "OE1", "inboundSequence")).LEGACY).toBe(1);
  });

  verifies("FIX-SESSION-OUTBOUND", async (world) => {
    const session = { gateway: "MD1", session: "CHARTS" };
    expect((await detail(world, session)).outboundSequence).toBe(2);
    await world.call("disconnectFixSession", session);
    world.engine.logonFixSession(session);
    expect((await detail(world, session)).outboundSequence).toBe(3);
    expect((await column(world, "OE1", "outboundSequence")).LEGACY).toBe(1);
  });
});

describe("FIX session, detail form", () => {
  verifies("FIX-SESSION-DETAIL-FORM", async (world) => {
    expectOk(await world.call("getFixSession", SESSION), { ...DETAIL_FORM, remotePort: expect.any(Number) });
  });

  verifies("FIX-SESSION-TYPE", async (world) => {
    for (const [gatewayName, session, gatewayType] of [
      ["OE1", "LEGACY", "OrderEntry"],
      ["MD1", "CHARTS", "MarketData"],
      ["RFQ1", "BONDS", "RFQ"],
      ["VENUES", "CME1", "TradeConnector"],
    ] as const) {
      expect(await detail(world, { gateway: gatewayName, session })).toMatchObject({ gatewayType });
    }
  });

  verifies("FIX-SESSION-COMP-IDS", async (world) => {
    expect(await detail(world)).toMatchObject({ senderId: "ENGINE", targetId: "FIXCLIENT1" });
    const venue = { gateway: "VENUES", session: "NASDAQ1" };
    expect(await detail(world, venue)).toMatchObject({ senderId: "BROKER7", targetId: "NSDQ" });
  });

  verifies("FIX-SESSION-LOCAL-IP", async (world) => {
    expect(await detail(world)).toMatchObject({ localIp: "10.20.0.11" });
    expect(await detail(world, { gateway: "OE1", session: "LEGACY" })).toMatchObject(NO_CONNECTION);
  });

  verifies("FIX-SESSION-TIMES", async (world) => {
    expect(await detail(world)).toMatchObject({ connectTimestamp: START, disconnectTimestamp: null });
    world.clock.advance(1_000);
    await world.call("disconnectFixSession", SESSION);
    world.clock.advance(1_000);
    expect(await detail(world)).toMatchObject({ connectTimestamp: START, disconnectTimestamp: START + 1_000 });
    world.engine.logonFixSession(SESSION);
    expect(await detail(world)).toMatchObject({ connectTimestamp: START + 2_000, disconnectTimestamp: START + 1_000 });
  });

  verifies("FIX-SESSION-MESSAGES", async (world) => {
    expect(await detail(world)).toMatchObject({ messagesSent: 1, messagesReceived: 1 });
    await world.call("disconnectFixSession", SESSION);
    world.engine.logonFixSession(SESSION);
    expect(await detail(world)).toMatchObject({ messagesSent: 2, messagesReceived: 2 });
  });

  verifies("FIX-SESSION-BYTES", async (world) => {
    expect(await detail(world)).toMatchObject({ bytesSent: 96, bytesReceived: 128 });
    await world.call("disconnectFixSession", SESSION);
    world.engine.logonFixSession(SESSION);
    expect(await detail(world)).toMatchObject({ bytesSent: 192, bytesReceived: 256 });
  });
});

import { describe, expect, test } from "vitest";
import {
  fixGateway,
  fixGatewayDetail,
  fixSession,
  fixSessionDetail,
  gatewayType,
} from "../../src/core/operations/fix.ts";
import { EngineRejection } from "../../src/engine/engine.ts";
import { type Bench, bench, thrown } from "./fixture.ts";

const FIX = `
gateways:
  OE1:
    type: OrderEntry
    local-ip: 10.0.0.1
    local-port: 9001
    sessions:
      - { id: C1, sender: ENGINE, target: C1, remote-ip: 10.1.0.1 }
      - { id: "desk A/B", sender: ENGINE, target: AB, remote-ip: 10.1.0.2, status: Disconnected }
      - { id: OLD, sender: ENGINE, target: OLD, remote-ip: 10.1.0.3, status: Disabled }
  MD1: { type: MarketData, local-ip: 10.0.0.2, local-port: 9002, sessions: [{ id: M1, sender: E, target: M1, remote-ip: 10.1.0.1 }] }
  RFQ1: { type: RFQ, local-ip: 10.0.0.3, local-port: 9003 }
  TC1: { type: TradeConnector, local-ip: 10.0.0.4, sessions: [{ id: V1, sender: B, target: V, remote-ip: 192.0.2.1, remote-port: 15001 }] }
`;

const C1 = { gateway: "OE1", session: "C1" };
const AB = { gateway: "OE1", session: "desk A/B" };
const OLD = { gateway: "OE1", session: "OLD" };
const M1 = { gateway: "MD1", session: "M1" };

const NO_CONNECTION = { localIp: null, localPort: null, remoteIp: null, remotePort: null };

/** The bench, after a while without any event. */
function later(): Bench & { begin: number } {
  const made = bench(FIX);
  const begin = made.clock.now();
  made.clock.advance(1000);
  return { ...made, begin };
}

describe("FIX gateways and sessions", () => {
  test("GET /fix/gateways: all four types in list form", () => {
    const { engine, begin } = later();
    expect(engine.listFixGateways()).toEqual([
      { gatewayName: "OE1", gatewayType: "OrderEntry", updateTimestamp: begin },
      { gatewayName: "MD1", gatewayType: "MarketData", updateTimestamp: begin },
      { gatewayName: "RFQ1", gatewayType: "RFQ", updateTimestamp: begin },
      { gatewayName: "TC1", gatewayType: "TradeConnector", updateTimestamp: begin },
    ]);
    expect(new Set(engine.listFixGateways().map((one) => one.gatewayType))).toEqual(new Set(gatewayType().options));
  });

  test("FIX gateway and FIX session: list and detail forms have exactly the fields of the specification", () => {
    const { engine } = later();
    for (const gateway of engine.listFixGateways()) {
      expect(fixGateway().strict().parse(gateway)).toEqual(gateway);
      const detail = engine.getFixGateway({ gateway: gateway.gatewayName });
      expect(fixGatewayDetail().strict().parse(detail)).toEqual(detail);
      for (const session of engine.listFixSessions({ gateway: gateway.gatewayName })) {
        expect(fixSession().strict().parse(session)).toEqual(session);
        const full = engine.getFixSession({ gateway: gateway.gatewayName, session: session.sessionId });
        expect(fixSessionDetail().strict().parse(full)).toEqual(full);
      }
    }
  });

  test("GET session: a connected one shows its connection; ids may hold a slash and blanks", () => {
    const { engine, begin } = later();
    const remotePort = engine.getFixSession(C1).remotePort;
    expect(remotePort).toBeGreaterThanOrEqual(32_768);
    expect(engine.getFixSession(C1)).toEqual({
      gatewayName: "OE1",
      sessionId: "C1",
      status: "Connected",
      localPort: 9001,
      remoteIp: "10.1.0.1",
      remotePort,
      inboundSequence: 2,
      outboundSequence: 2,
      gatewayType: "OrderEntry",
      senderId: "ENGINE",
      targetId: "C1",
      localIp: "10.0.0.1",
      connectTimestamp: begin,
      disconnectTimestamp: null,
      messagesSent: 1,
      messagesReceived: 1,
      bytesSent: 96,
      bytesReceived: 128,
    });
    expect(engine.getFixSession(AB)).toMatchObject({
      sessionId: "desk A/B",
      status: "Disconnected",
      connectTimestamp: null,
      inboundSequence: 1,
      ...NO_CONNECTION,
    });
  });

  test("GET session: the initiator of a connection has the port that changes", () => {
    const { engine } = later();
    const session = engine.getFixSession({ gateway: "TC1", session: "V1" });
    expect(session.remotePort).toBe(15_001);
    expect(session.localPort).toBeGreaterThanOrEqual(32_768);
  });

  test("GET gateway: counters are sums over the sessions", () => {
    const { engine, begin } = later();
    expect(engine.getFixGateway({ gateway: "OE1" })).toEqual({
      gatewayName: "OE1",
      gatewayType: "OrderEntry",
      updateTimestamp: begin,
      sessions: 3,
      acceptedConnections: 1,
      rejectedConnections: 0,
      messagesSent: 1,
      messagesReceived: 1,
      bytesSent: 96,
      bytesReceived: 128,
    });
  });

  test("States, D-ENG 5: disable drops the connection, refuses logons, and returns the state read back", () => {
    const { engine, clock, begin } = later();
    const answer = engine.disableFixSession(C1);
    expect(answer).toMatchObject({
      status: "Disabled",
      connectTimestamp: begin,
      disconnectTimestamp: clock.now(),
      messagesSent: 1,
      ...NO_CONNECTION,
    });
    expect(engine.getFixSession(C1)).toEqual(answer);
    expect(engine.getFixGateway({ gateway: "OE1" }).updateTimestamp).toBe(clock.now());
    expect(engine.logonFixSession(C1)).toBe(false);
    expect(engine.getFixSession(C1)).toEqual(answer);
    expect(engine.getFixGateway({ gateway: "OE1" })).toMatchObject({ acceptedConnections: 1, rejectedConnections: 1 });
  });

  test("States: disable works for a session that has no connection, or is disabled already", () => {
    const { engine, begin } = later();
    expect(engine.disableFixSession(AB)).toMatchObject({ status: "Disabled", disconnectTimestamp: null });
    const before = engine.getFixGateway({ gateway: "OE1" }).updateTimestamp;
    expect(before).toBeGreaterThan(begin);
    expect(engine.disableFixSession(OLD)).toMatchObject({ status: "Disabled" });
    expect(engine.getFixGateway({ gateway: "OE1" }).updateTimestamp).toBe(before);
  });

  test("States: enable of a disabled session leaves it disconnected until the peer logs on again", () => {
    const { engine } = later();
    expect(engine.enableFixSession(OLD)).toMatchObject({ status: "Disconnected", ...NO_CONNECTION });
    expect(engine.logonFixSession(OLD)).toBe(true);
    expect(engine.getFixSession(OLD)).toMatchObject({ status: "Connected", remoteIp: "10.1.0.3" });
  });

  test.each([C1, AB])("States: enable of a session that is not disabled changes nothing", (name) => {
    const { engine, begin } = later();
    const before = engine.getFixSession(name);
    expect(engine.enableFixSession(name)).toEqual(before);
    expect(engine.getFixGateway({ gateway: "OE1" }).updateTimestamp).toBe(begin);
  });

  test("States: disconnect drops a connection, the peer may log on again", () => {
    const { engine, clock } = later();
    expect(engine.disconnectFixSession(C1)).toMatchObject({
      status: "Disconnected",
      disconnectTimestamp: clock.now(),
      ...NO_CONNECTION,
    });
    clock.advance(10);
    expect(engine.logonFixSession(C1)).toBe(true);
    expect(engine.getFixSession(C1)).toMatchObject({ status: "Connected", connectTimestamp: clock.now() });
    expect(engine.getFixGateway({ gateway: "OE1" })).toMatchObject({ acceptedConnections: 2, messagesSent: 2 });
  });

  test.each([AB, OLD])("States: disconnect without a connection changes nothing", (name) => {
    const { engine, begin } = later();
    const before = engine.getFixSession(name);
    expect(engine.disconnectFixSession(name)).toEqual(before);
    expect(engine.getFixGateway({ gateway: "OE1" }).updateTimestamp).toBe(begin);
  });

  test("FIX session: a second logon of a connected session is refused and counted", () => {
    const { engine } = later();
    expect(engine.logonFixSession(C1)).toBe(false);
    expect(engine.getFixGateway({ gateway: "OE1" }).rejectedConnections).toBe(1);
  });

  test("sequence numbers of OrderEntry sessions begin anew, those of others continue; counters always continue", () => {
    const { engine } = later();
    for (const name of [C1, M1]) {
      engine.disconnectFixSession(name);
      engine.logonFixSession(name);
    }
    expect(engine.getFixSession(C1)).toMatchObject({ inboundSequence: 2, outboundSequence: 2, messagesSent: 2 });
    expect(engine.getFixSession(M1)).toMatchObject({ inboundSequence: 3, outboundSequence: 3, messagesSent: 2 });
  });

  test("Errors, 404: an unknown gateway or session is not found", () => {
    const { engine } = later();
    const noGateway = new EngineRejection("not-found", 'Unknown FIX gateway "oe1"');
    const noSession = new EngineRejection("not-found", 'Unknown FIX session "c1" of gateway "OE1"');
    expect(thrown(() => engine.getFixGateway({ gateway: "oe1" }))).toEqual(noGateway);
    expect(thrown(() => engine.listFixSessions({ gateway: "oe1" }))).toEqual(noGateway);
    for (const operation of [
      "getFixSession",
      "disableFixSession",
      "enableFixSession",
      "disconnectFixSession",
    ] as const) {
      expect(thrown(() => engine[operation]({ gateway: "oe1", session: "C1" }))).toEqual(noGateway);
      const error = thrown(() => engine[operation]({ gateway: "OE1", session: "c1" }));
      expect(error).toEqual(noSession);
      expect(error).toHaveProperty("refusal", "not-found");
    }
  });
});

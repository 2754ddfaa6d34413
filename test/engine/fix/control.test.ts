import { describe, expect, onTestFinished, test } from "vitest";
import { startTestRig, type TestRig } from "../../../src/testing/rig.ts";
import { FixClient, limitOrder } from "../../support/fix-client.ts";

const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };

interface Desk {
  readonly rig: TestRig;
  readonly port: number;
  readonly api: ReturnType<TestRig["as"]>;
  logOn(sender?: string, next?: number): Promise<FixClient>;
  connect(sender: string, next: number): Promise<FixClient>;
}

/** The sample installation behind the API, with open FIX ports. */
async function desk(): Promise<Desk> {
  const rig = await startTestRig();
  const port = await rig.fixPort();
  const clients: FixClient[] = [];
  const known = (client: FixClient): FixClient => {
    clients.push(client);
    return client;
  };
  onTestFinished(async () => {
    for (const client of clients) client.close();
    await rig.close();
  });
  return {
    rig,
    port,
    api: rig.as("operator"),
    logOn: async (sender = "FIXCLIENT1", next = 1) => known(await FixClient.logOn(port, sender, next)),
    connect: async (sender, next) => known(await FixClient.connect(port, sender, next)),
  };
}

describe("FIX sessions of clients in the API", () => {
  test("D-ENG 34: addresses, numbers, counters and times of a session are those of the real connection", async () => {
    const { rig, port, api, logOn } = await desk();
    rig.clock.advance(1_000);
    const before = await api.getFixSession(SESSION);
    expect(before).toMatchObject({ status: "Connected", remoteIp: "10.30.1.21" });
    const client = await logOn();
    await client.sync();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    expect(await api.getFixSession(SESSION)).toEqual({
      ...before,
      status: "Connected",
      localIp: "127.0.0.1",
      localPort: port,
      remoteIp: "127.0.0.1",
      remotePort: client.socket.localPort,
      inboundSequence: client.next,
      outboundSequence: client.received.length + 1,
      connectTimestamp: rig.clock.now(),
      disconnectTimestamp: null,
      messagesSent: client.received.length,
      messagesReceived: client.next - 1,
      bytesSent: client.bytesReceived,
      bytesReceived: client.bytesSent,
    });
    expect(await api.getFixGateway({ gateway: "OE1" })).toMatchObject({
      updateTimestamp: rig.clock.now(),
      sessions: 4,
    });
  });

  test("D-ENG 34: the simulated peer of a session ends with the first client, those of others continue", async () => {
    const { rig, api, logOn } = await desk();
    const client = await logOn();
    client.close();
    await expect.poll(async () => (await api.getFixSession(SESSION)).status).toBe("Disconnected");
    const gone = await api.getFixSession(SESSION);
    expect(gone).toMatchObject({ localPort: null, remoteIp: null, disconnectTimestamp: rig.clock.now() });
    rig.engine.start();
    rig.clock.advance(40_000);
    rig.engine.stop();
    expect(await api.getFixSession(SESSION)).toEqual(gone);
    expect(rig.engine.logonFixSession(SESSION)).toBe(false);
    const [, other] = await api.listFixSessions({ gateway: "OE1" });
    expect(other?.inboundSequence).toBeGreaterThan(2);
  });

  test("D-ENG 36: disable sends a Logout with the reason, and is done when the peer has replied", async () => {
    const { api, logOn } = await desk();
    const client = await logOn();
    const disabling = api.disableFixSession(SESSION);
    expect((await client.expect("5"))[58]).toBe("The session is disabled");
    expect(await api.getFixSession(SESSION)).toMatchObject({ status: "Disabled", localPort: null });
    client.send("5");
    await client.expectEnd();
    expect(await disabling).toMatchObject({ status: "Disabled", inboundSequence: 3, outboundSequence: 3 });
    expect(await disabling).toMatchObject({ disconnectTimestamp: expect.any(Number) });
  });

  test("D-ENG 36: disable drops a peer that does not reply to the Logout within a second", async () => {
    const { rig, api, logOn } = await desk();
    const client = await logOn();
    const disabling = api.disableFixSession(SESSION);
    await client.expect("5");
    rig.clock.advance(999);
    expect(client.isClosed).toBe(false);
    rig.clock.advance(1);
    expect(await disabling).toMatchObject({ status: "Disabled" });
    await client.expectEnd();
  });

  test("D-ENG 36: a disabled session refuses logons until it is enabled, and both ends have equal numbers then", async () => {
    const { api, logOn, connect } = await desk();
    const client = await logOn();
    const disabling = api.disableFixSession(SESSION);
    await client.expect("5");
    client.send("5");
    await disabling;
    let { next } = client;
    for (const outbound of [3, 4]) {
      const refused = await connect("FIXCLIENT1", next);
      refused.logon();
      expect(await refused.expect("5")).toMatchObject({ 34: String(outbound), 58: "The session is disabled" });
      await refused.expectEnd();
      ({ next } = refused);
    }
    expect(await api.getFixGateway({ gateway: "OE1" })).toMatchObject({ rejectedConnections: 2 });
    expect(await api.enableFixSession(SESSION)).toMatchObject({ status: "Disconnected" });
    const back = await logOn("FIXCLIENT1", next);
    expect(back.received).toMatchObject([{ 35: "A", 34: "5" }]);
    await back.sync();
    const numbers = { status: "Connected", inboundSequence: back.next, outboundSequence: 7 };
    expect(await api.getFixSession(SESSION)).toMatchObject(numbers);
  });

  test("D-ENG 36: disconnect logs the client out, which may log on again immediately", async () => {
    const { api, logOn } = await desk();
    const client = await logOn();
    const disconnecting = api.disconnectFixSession(SESSION);
    expect((await client.expect("5"))[58]).toBe("Disconnected by an operator");
    client.send("5");
    expect(await disconnecting).toMatchObject({ status: "Disconnected" });
    const back = await logOn("FIXCLIENT1", client.next);
    await back.sync();
  });

  test("D-ENG 36: orders of a session that is being logged out are refused, cancels pass, and nothing is lost", async () => {
    const { rig, api, logOn } = await desk();
    const client = await logOn();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    const disabling = api.disableFixSession(SESSION);
    await client.expect("5");
    client.send("D", limitOrder("B"));
    expect(await client.expect("8")).toMatchObject({ 11: "B", 150: "8", 58: "The session is disabled" });
    client.send("G", [[41, "A"], ...limitOrder("C", { 38: 10 })]);
    expect(await client.expect("9")).toMatchObject({ 58: "The session is disabled" });
    client.send("F", [
      [41, "A"],
      [11, "D"],
    ]);
    expect(await client.expect("8")).toMatchObject({ 11: "D", 150: "4" });
    client.send("5");
    await disabling;
    expect(rig.engine.workingOrders()).toEqual([]);
  });

  test("a session that was disabled in the installation refuses its client until it is enabled", async () => {
    const { api, connect, logOn } = await desk();
    const refused = await connect("LEGACY", 1);
    refused.logon();
    await refused.expect("5");
    expect(await api.getFixSession({ gateway: "OE1", session: "LEGACY" })).toMatchObject({
      status: "Disabled",
      inboundSequence: 2,
      outboundSequence: 2,
    });
    await api.enableFixSession({ gateway: "OE1", session: "LEGACY" });
    await logOn("LEGACY", 2);
  });

  test("orders of a disabled session stay in the market, and their fills wait for its client", async () => {
    const { rig, api, logOn } = await desk();
    const client = await logOn();
    client.send("D", limitOrder("A"));
    const { 37: id = "" } = await client.expect("8");
    const disabling = api.disableFixSession(SESSION);
    await client.expect("5");
    client.send("5");
    await disabling;
    rig.engine.fillOrder(id, "100", "100");
    await api.enableFixSession(SESSION);
    const back = await logOn("FIXCLIENT1", client.next);
    expect(back.received).toMatchObject([{ 35: "A", 34: "5" }]);
    back.send("2", [
      [7, 4],
      [16, 0],
    ]);
    expect(await back.expect("8")).toMatchObject({ 34: "4", 150: "F", 39: "2" });
  });

  test("closing the rig logs clients out", async () => {
    const rig = await startTestRig();
    const client = await FixClient.logOn(await rig.fixPort("OE1"));
    const closing = rig.close();
    expect((await client.expect("5"))[58]).toBe("The engine is being stopped");
    client.send("5");
    await client.expectEnd();
    client.close();
    await closing;
  });

  test("rig.fixPort names the gateways that there are when it is asked for another one", async () => {
    const { rig } = await desk();
    await expect(rig.fixPort("MD1")).rejects.toThrow("no order-entry gateway MD1; there are: OE1");
  });
});

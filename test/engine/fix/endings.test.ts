import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { Gate } from "../../../src/core/load/gate.ts";
import { Framer } from "../../../src/engine/fix/framer.ts";
import { SimulatedEngine } from "../../../src/engine/simulated/simulated-engine.ts";
import { FixClient, limitOrder } from "../../support/fix-client.ts";
import { installation } from "../fixture.ts";
import { BUDGET_MS, countingClock, FIXCLIENT1, type FixBench, fixBench, GATEWAYS } from "./fixture.ts";

/**
 * Lets the client say something that the engine has read and does not take until the clock moves: a halt of something else is
 * accepted, and not applied yet.
 */
async function saysBeforeItIsTaken({ engine }: FixBench, say: () => void): Promise<void> {
  engine.haltTrading({ projectionPath: "Account[SILVER]", reason: "drill", cancelOrders: false });
  const push = vi.spyOn(Framer.prototype, "push");
  onTestFinished(() => push.mockRestore());
  say();
  await expect.poll(() => push.mock.calls.length).toBeGreaterThanOrEqual(1);
}

/** The engine's ends of connections. */
const accepted: Socket[] = [];
const ACCEPTED = "net.server.socket";
const accept = (message: unknown): unknown => accepted.push((message as { socket: Socket }).socket);
beforeAll(() => subscribe(ACCEPTED, accept));
afterAll(() => unsubscribe(ACCEPTED, accept));

/** The client resets its connection, and the engine has seen it. */
async function reset({ socket }: FixClient): Promise<void> {
  const otherEnd = accepted.find(({ remotePort }) => remotePort === socket.localPort);
  if (!otherEnd) throw new Error("the engine has not accepted this connection");
  // `once` of node:events would reject with the error that comes before.
  const ended = new Promise((resolve) => otherEnd.once("close", resolve));
  socket.resetAndDestroy();
  await ended;
}

/** What was held is taken, as far as it is. */
async function apply({ clock }: FixBench): Promise<void> {
  clock.advance(5);
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

async function expectEqualNumbers({ engine, logOn }: FixBench, next: number): Promise<void> {
  const { inboundSequence, outboundSequence } = engine.getFixSession(FIXCLIENT1);
  expect(inboundSequence).toBe(next);
  const back = await logOn("FIXCLIENT1", next);
  expect(back.received[0]).toMatchObject({ 34: String(outboundSequence) });
  await back.sync();
}

describe("Logouts that cross", () => {
  test("each end sends a Logout before it has the other's: both are done, none is replied to, numbers stay equal", async () => {
    const bench = await fixBench();
    const client = await bench.logOn();
    client.send("5", [[58, "end of the day"]]);
    const disconnecting = bench.engine.disconnectFixSession(FIXCLIENT1);
    expect((await client.expect("5"))[58]).toBe("Disconnected by an operator");
    await client.expectEnd();
    expect(await disconnecting).toMatchObject({ status: "Disconnected", inboundSequence: 3, outboundSequence: 3 });
    await expectEqualNumbers(bench, client.next);
  });

  test("the client's is in the engine's process already, and is not taken yet", async () => {
    const bench = await fixBench();
    const client = await bench.logOn();
    await saysBeforeItIsTaken(bench, () => client.send("5"));
    const disabling = bench.engine.disableFixSession(FIXCLIENT1);
    await client.expect("5");
    bench.clock.advance(5);
    await client.expectEnd();
    expect(await disabling).toMatchObject({ status: "Disabled", inboundSequence: 3, outboundSequence: 3 });
    await bench.engine.enableFixSession(FIXCLIENT1);
    await expectEqualNumbers(bench, client.next);
  });

  test.each([
    ["closes the connection", (client: FixClient) => client.socket.end()],
    ["resets the connection", (client: FixClient) => client.socket.resetAndDestroy()],
  ])("a client that %s in place of a reply is logged out, without the wait", async (_, close) => {
    const bench = await fixBench();
    const client = await bench.logOn();
    const disconnecting = bench.engine.disconnectFixSession(FIXCLIENT1);
    await client.expect("5");
    close(client);
    expect(await disconnecting).toMatchObject({ status: "Disconnected", localPort: null });
    await expectEqualNumbers(bench, client.next);
  });

  test("two operators who log a client out at the same moment send it one Logout", async () => {
    const { logOn, engine } = await fixBench();
    const client = await logOn();
    const both = [engine.disconnectFixSession(FIXCLIENT1), engine.disableFixSession(FIXCLIENT1)];
    await client.expect("5");
    client.send("5");
    await client.expectEnd();
    await Promise.all(both);
    expect(engine.getFixSession(FIXCLIENT1)).toMatchObject({ status: "Disabled", outboundSequence: 3 });
  });

  test("a client that is being logged out gets what it asks for again before it replies", async () => {
    const bench = await fixBench();
    const client = await bench.logOn();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    const disconnecting = bench.engine.disconnectFixSession(FIXCLIENT1);
    await client.expect("5");
    const range = [[7, 2], [16, 0]] as const; // biome-ignore format: fields of a message
    client.send("2", range);
    expect(await client.expect("8")).toMatchObject({ 34: "2", 43: "Y", 11: "A" });
    expect(await client.expect("4")).toMatchObject({ 34: "3", 36: "4" });
    client.send("5");
    await disconnecting;
    await expectEqualNumbers(bench, client.next);
  });
});

test("a session that is disabled while messages are sent again is logged out between them, and lacks none when it is back", async () => {
  const clock = countingClock();
  const engine = new SimulatedEngine(installation(GATEWAYS), { clock, gate: new Gate(clock, BUDGET_MS) });
  const [{ port } = { port: 0 }] = await engine.openFixPorts();
  const client = await FixClient.logOn(port);
  onTestFinished(() => engine.closeFixPorts());
  client.send("D", limitOrder("A"));
  await client.expect("8");
  for (let count = 0; count < 900; count += 1) engine.fillOrder("1", "0.01", "99.5");
  for (let count = 0; count < 900; count += 1) await client.expect("8");
  client.send("2", [
    [7, 2],
    [16, 0],
  ]);
  await client.expect("8");
  const disabling = engine.disableFixSession(FIXCLIENT1);
  for (let message = await client.nextMessage(); message?.[35] !== "5"; message = await client.nextMessage()) {
    expect(message).toMatchObject({ 35: "8", 43: "Y" });
  }
  client.send("5");
  expect(await disabling).toMatchObject({ status: "Disabled", inboundSequence: 5, outboundSequence: 904 });
  await engine.enableFixSession(FIXCLIENT1);
  const back = await FixClient.logOn(port, "FIXCLIENT1", client.next);
  back.send("2", [
    [7, 2],
    [16, 902],
  ]);
  for (let sequence = 2; sequence <= 902; sequence += 1) {
    expect(await back.expect("8")).toMatchObject({ 34: String(sequence), 43: "Y" });
  }
  await back.sync();
  back.close();
});

describe("D-ENG 43: what a client sent is taken while its connection stands", () => {
  test("a Logon whose connection was reset before it was taken does not occupy the session", async () => {
    const bench = await fixBench();
    const gone = await bench.connect();
    await saysBeforeItIsTaken(bench, () => gone.logon([[108, 0]]));
    await reset(gone);
    await apply(bench);
    const client = await bench.logOn();
    await client.sync();
    expect(bench.engine.getFixSession(FIXCLIENT1)).toMatchObject({ remotePort: client.socket.localPort });
  });

  test("an order whose connection was reset does not enter the market once the session is disabled", async () => {
    const bench = await fixBench();
    const client = await bench.logOn();
    await saysBeforeItIsTaken(bench, () => client.send("D", limitOrder("A")));
    await reset(client);
    await bench.engine.disableFixSession(FIXCLIENT1);
    await apply(bench);
    expect(bench.engine.workingOrders()).toEqual([]);
    expect(bench.engine.getFixSession(FIXCLIENT1)).toMatchObject({ inboundSequence: 2, outboundSequence: 2 });
  });

  test("a request of a former connection is not answered on the next one, which is asked for what was dropped", async () => {
    const bench = await fixBench();
    const former = await bench.logOn();
    await saysBeforeItIsTaken(bench, () => former.send("1", [[112, "FORMER"]]));
    await reset(former);
    const next = await bench.connect("FIXCLIENT1", former.next);
    next.logon();
    await apply(bench);
    await next.expect("A");
    expect(await next.expect("2")).toMatchObject({ 7: "2", 16: "0" });
    next.send(
      "4",
      [
        [123, "Y"],
        [36, next.next],
      ],
      { seq: 2, header: [[43, "Y"]] },
    );
    await next.sync();
  });

  test("orders that stand before the end of their connection enter the market", async () => {
    const bench = await fixBench();
    const client = await bench.logOn();
    client.send("D", limitOrder("A"));
    client.send("D", limitOrder("B"));
    client.socket.end();
    await expect.poll(() => bench.engine.getFixSession(FIXCLIENT1).status).toBe("Disconnected");
    expect(bench.engine.workingOrders()).toHaveLength(2);
  });
});

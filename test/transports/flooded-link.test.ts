import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../src/core/clock.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ReplyScan } from "../../transports/json-rpc/reply-scan.ts";
import { LinkEvents } from "../../transports/link/link-events.ts";
import { LinkInflow } from "../../transports/link/link-inflow.ts";
import { PendingRequests } from "../../transports/link/pending-requests.ts";
import { EVERYTHING } from "../support/extent.ts";
import { until } from "../support/until.ts";
import { Events, fate, request } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

async function bench() {
  const engine = opened.add(await openScriptedEngine(), (it) => it.close());
  const events = new Events();
  const gate = new Gate(systemClock);
  const transport = await opened.connected({ url: engine.url, gate, onEvent: events.onEvent });
  return { engine, events, transport };
}

function reply(id: number, result: unknown = null): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

function send(socket: WebSocket, count: number, frame: (index: number) => string): void {
  for (let index = 0; index < count; index += 1) socket.send(frame(index));
}

/** Sends without end, as fast as the gateway takes it, while `goesOn`. */
async function flood(socket: WebSocket, sendOne: (index: number) => void, goesOn: () => boolean): Promise<void> {
  for (let index = 0; goesOn() && socket.readyState === WebSocket.OPEN; index += 1) {
    sendOne(index);
    if (index % 1_000 === 0) await until(() => socket.bufferedAmount < 1_000_000, "the gateway reads");
  }
}

const FLOODS: readonly [string, (socket: WebSocket, index: number) => void][] = [
  ["replies that nobody awaits", (socket, index) => socket.send(reply(1e9 + index))],
  ["D-LINK 22: pings, answered together, that come", (socket) => socket.ping()],
  ["replies to a request that had its reply", (socket) => socket.send(reply(1))],
  ["messages of no kind", (socket) => socket.send("{}")],
  ["reports of its load", (socket, index) => socket.send(status(index))],
];

describe("D-LINK 21: what an engine sends unasked is bounded", () => {
  test.each(EVERYTHING ? FLOODS : FLOODS.slice(0, 2))(
    "%s without end end the connection, and the link comes back",
    async (_what, sendOne) => {
      const { engine, events, transport } = await bench();
      const first = fate(transport, "r-1", "stop");
      await until(() => engine.requests.length >= 1, "the request arrives");
      const { socket } = engine;
      socket.send(reply(1, "done"));
      expect(await first).toBe("done");
      await flood(
        socket,
        (index) => sendOne(socket, index),
        () => events.of("down").length === 0,
      );
      await until(() => events.of("down").length > 0, "the connection is closed");
      expect(events.of("down")[0]).toMatch(/unsolicited messages|more waits to be read/);
      await until(() => engine.connections === 2 && transport.state === "up", "the link is back");
      expect(events.of("problem").length).toBeLessThanOrEqual(20);
    },
  );

  test("but while a stop waits, the flood is borne, and its reply comes through", async () => {
    const { engine, events, transport } = await bench();
    const stop = fate(transport, "halt", "stop");
    await until(() => engine.requests.length >= 1, "the halt arrives");
    const { socket } = engine;
    let sent = 0;
    const unasked = (): void => socket.send(reply(1e9 + ++sent));
    await flood(socket, unasked, () => sent < 150_000);
    socket.send(reply(1, "halted"));
    expect(await stop).toBe("halted");
    expect(engine.connections).toBe(1);
    await flood(socket, unasked, () => events.of("down").length === 0);
    expect(events.of("down")[0]).toContain("unsolicited messages");
  });

  test("and thousands of late replies to reads that were given up are not a flood, for each may come once", () => {
    const pending = new PendingRequests<number>();
    for (let id = 1; id <= 10_001; id += 1) pending.add(id, { lane: "read", sentAt: 0 }).abandon();
    expect([1, 2, 10_001].map((id) => pending.standingOf(id))).toEqual(["unknown", "abandoned", "abandoned"]);
    let unwanted = 0;
    for (let times = 0; times < 2; times += 1) pending.unasked(2, false, () => (unwanted += 1));
    expect([pending.standingOf(2), unwanted]).toEqual(["unknown", 1]);
  });

  test("2,000 a second are borne for ever, and no more", () => {
    const clock = new ManualClock();
    const reasons: string[] = [];
    const inflow = new LinkInflow({
      clock,
      gate: undefined,
      isStopWaiting: () => false,
      onFlood: (why) => reasons.push(why),
    });
    for (let second = 0; second < 200; second += 1) {
      for (let count = 0; count < 2_000; count += 1) inflow.unwanted();
      clock.advance(1_000);
    }
    expect(inflow.isFlooded).toBe(false);
    for (let second = 0; second < 201; second += 1) {
      for (let count = 0; count < 3_000; count += 1) inflow.unwanted();
      clock.advance(1_000);
    }
    expect(reasons).toHaveLength(1);
  });

  test.each([
    ["messages", 4_097, 1],
    ["bytes", 9, 16 * 1024 * 1024],
  ])("too many %s that wait to be read end the connection, and are not read", async (_what, count, bytes) => {
    const clock = new ManualClock();
    const gate = new Gate(clock);
    gate.schedule("mallory", "other", () => clock.advance(10));
    const reasons: string[] = [];
    const read: number[] = [];
    const inflow = new LinkInflow({
      clock: systemClock,
      gate,
      isStopWaiting: () => true,
      onFlood: (why) => reasons.push(why),
    });
    const message = Buffer.alloc(bytes);
    const all = Array.from({ length: count }, (_, index) =>
      inflow.read(new ReplyScan(message), true, () => read.push(index)),
    );
    expect(reasons).toEqual([expect.stringContaining("more waits to be read")]);
    await Promise.all(all);
    expect(read.length).toBeLessThan(count);
  });
});

describe("D-LOAD 15: problems of a link beyond 20 a minute are reported as a number", () => {
  test("also those that differ in an id, and when the link is closed", async () => {
    const { engine, events, transport } = await bench();
    send(engine.socket, 5_000, (index) => reply(1e9 + index));
    const asked = fate(transport, "r-1", "stop");
    await until(() => engine.requests.length >= 1, "the request arrives");
    engine.socket.send(reply(1, "done"));
    expect(await asked).toBe("done");
    expect(events.of("problem")).toHaveLength(20);
    await transport.close();
    const [last] = events.all.filter(({ kind }) => kind === "problem").slice(-1);
    expect(last).toMatchObject({
      count: 4_980,
      message: expect.stringMatching(/^4980 more like this one: Engine at ws/),
    });
  });

  test("with a number for each kind, and again in the next minute", () => {
    const clock = new ManualClock();
    const events = new Events();
    const told = new LinkEvents(events.onEvent, clock);
    for (let index = 0; index < 30; index += 1) told.problem("unasked", `reply ${index}`);
    told.problem("broken", "no JSON");
    clock.advance(60_000);
    expect(events.of("problem").slice(20)).toEqual([
      "10 more like this one: reply 20",
      "1 more like this one: no JSON",
    ]);
    told.problem("unasked", "reply 30");
    expect(events.of("problem").at(-1)).toBe("reply 30");
  });
});

describe("D-LINK 24: a second reply that contradicts the first is told to whoever sent the request", () => {
  test.each([
    ["a refusal behind a success", reply(1, "done"), refusal(-32001), "rejected"],
    ["a success behind a refusal", refusal(-32001), reply(1, "done"), "done"],
    ["another result", reply(1, { halted: true }), reply(1, { halted: false }), { halted: false }],
    ["a refusal that means something else", refusal(-32001), refusal(-32603), "internal"],
    ["a success behind garbage", '{"jsonrpc":"2.0","id":1,"result":', reply(1, "done"), "done"],
  ])("%s", async (_what, first, second, told) => {
    const { engine, exchange, contradictions } = await asked();
    engine.socket.send(first);
    engine.socket.send(second);
    await Promise.allSettled([exchange.reply]);
    await until(() => contradictions.length > 0, "the contradiction is told");
    expect(contradictions).toEqual([told]);
  });

  test.each([
    ["the same result", reply(1, { halted: true }), reply(1, { halted: true })],
    ["the same refusal in other words", refusal(-32001), refusal(-32001, "no!")],
    ["a broken message", reply(1, "done"), '{"jsonrpc":"2.0","id":1,"result":'],
  ])("but not %s", async (_what, first, second) => {
    const { engine, events, exchange, contradictions } = await asked();
    engine.socket.send(first);
    engine.socket.send(second);
    await Promise.allSettled([exchange.reply]);
    await until(() => events.of("problem").length >= 1, "the second reply is told of");
    expect(contradictions).toEqual([]);
  });

  test("and once only", async () => {
    const { engine, events, exchange, contradictions } = await asked();
    for (const frame of [reply(1, "one"), reply(1, "two"), reply(1, "three")]) engine.socket.send(frame);
    await exchange.reply;
    await until(() => events.of("problem").length >= 2, "both are told of");
    expect(contradictions).toEqual(["two"]);
  });
});

/** A request that the engine has, and what contradicts its first reply. */
async function asked() {
  const { engine, events, transport } = await bench();
  const exchange = transport.exchange(request("r-1", "change"));
  const contradictions: unknown[] = [];
  exchange.contradicted?.((other) => contradictions.push(other.ok ? other.result : other.refusal));
  await until(() => engine.requests.length >= 1, "the request arrives");
  return { engine, events, exchange, contradictions };
}

function refusal(code: number, message = "no"): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } });
}

function status(index: number): string {
  return JSON.stringify({ jsonrpc: "2.0", method: "engine.status", params: { overloaded: index % 2 === 0 } });
}

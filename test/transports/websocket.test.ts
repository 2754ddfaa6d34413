import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import { WebSocketDialer } from "../../transports/websocket/dialer.ts";
import { FrameBatch } from "../../transports/websocket/frame-batch.ts";
import { freePort } from "../support/ports.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate, outcome, PatientEngine, request, turn } from "./support/link.ts";
import { OpenedWebSockets, proxyUrl } from "./support/websocket-link.ts";
import { openScriptedEngine } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

describe("one WebSocket connection with many requests in flight", () => {
  test("10,000 requests have their own replies, whatever the order in which the engine answers", async () => {
    const bus = await opened.bus({ maxInFlight: 10_000 });
    let order = 1;
    bus.listen(async (asked): Promise<EngineReply> => {
      // A fixed sequence that looks like chance, so that replies overtake each other.
      order = (order * 48_271) % 2_147_483_647;
      for (let turns = order % 5; turns > 0; turns -= 1) await turn();
      return echo(asked);
    });
    const transport = await opened.connected({ url: bus.url });
    const ids = Array.from({ length: 10_000 }, (_, index) => `r-${index}`);
    const answers: unknown[] = [];
    for (let from = 0; from < ids.length; from += 500) {
      answers.push(...(await Promise.all(ids.slice(from, from + 500).map((id) => fate(transport, id)))));
    }
    expect(answers).toEqual(ids);
  });

  test("a later request may be answered first", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const transport = await opened.connected({ url: bus.url });
    const [first, second] = [fate(transport, "first"), fate(transport, "second")];
    await engine.has("second");
    engine.answer("second");
    expect(await second).toBe("second");
    engine.answer("first");
    expect(await first).toBe("first");
  });

  test("requests reach the engine in the order in which they were sent", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const transport = await opened.connected({ url: bus.url });
    const ids = Array.from({ length: 300 }, (_, index) => `r-${index}`);
    for (const id of ids) transport.exchange(request(id)).abandon();
    await engine.has("r-299");
    expect(engine.arrived).toEqual(ids);
  });

  test("ids are never reused on a connection", async () => {
    const engine = opened.add(await openScriptedEngine(), (it) => it.close());
    const transport = await opened.connected({ url: engine.url });
    for (let index = 0; index < 50; index += 1) {
      transport.exchange(request(`r-${index}`)).abandon();
      if (index % 7 === 0) await turn();
    }
    await until(() => engine.requests.length >= 50, "all requests arrive");
    expect(new Set(engine.requests.map(({ id }) => id)).size).toBe(50);
    expect(engine.connections).toBe(1);
  });

  test("the whole request arrives: method, input, lane, context", async () => {
    const bus = await opened.bus();
    bus.listen(async (asked) => ({ ok: true, result: asked }));
    const transport = await opened.connected({ url: bus.url });
    const asked = request("r-1", "stop", { projectionPath: "Account[Zoë 💥]", cancelOrders: true });
    const context = { ...asked.context, traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
    expect(await outcome(() => transport.exchange({ ...asked, context }).reply)).toEqual({ ...asked, context });
  });

  test.each([
    ["rejected", "Row exists"],
    ["not-found", "No such session"],
    ["overloaded", "Queue is full"],
    ["unavailable", "Not started"],
    ["internal", "It failed"],
  ] as const)("a refusal keeps its kind and its words: %s", async (refusal, message) => {
    const bus = await opened.bus();
    bus.listen(async () => ({ ok: false, refusal, message }));
    const transport = await opened.connected({ url: bus.url });
    expect(await fate(transport, "r-1")).toBe(`${refusal}: ${message}`);
  });

  test("D-ENG 10: a reply that comes late is still matched", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const transport = await opened.connected({ url: bus.url });
    const late = fate(transport, "late");
    for (let index = 0; index < 100; index += 1) transport.exchange(request(`r-${index}`)).abandon();
    await engine.has("r-99");
    engine.answer("late");
    expect(await late).toBe("late");
  });
});

describe("D-LINK 2: frames written in one tick are sent together", () => {
  test("such as requests", async () => {
    const bus = await opened.bus();
    bus.listen(echo);
    const proxy = await opened.proxy(bus);
    const transport = await opened.connected({ url: proxyUrl(proxy) });
    const before = proxy.chunks.length;
    await Promise.all(Array.from({ length: 100 }, (_, index) => fate(transport, `r-${index}`)));
    expect(proxy.chunks.length - before).toBeLessThan(10);
  });

  test("with one system call", async () => {
    const bus = await opened.bus();
    const { webSocket, socket } = new WebSocketDialer({ url: bus.url }).dial();
    opened.add(webSocket, (it) => it.terminate());
    await once(webSocket, "open");
    let writes = 0;
    for (const name of ["_write", "_writev"] as const) {
      const write = socket[name] as (...args: unknown[]) => void;
      socket[name] = (...args: unknown[]) => {
        writes += 1;
        write.apply(socket, args);
      };
    }
    const batch = new FrameBatch(webSocket, socket);
    for (let index = 0; index < 100; index += 1) batch.add(`frame ${index}`);
    expect([batch.size, writes]).toEqual([100, 0]);
    await turn();
    expect([batch.size, writes]).toEqual([0, 1]);
  });

  test("such as replies", async () => {
    const bus = await opened.bus();
    bus.listen(echo);
    const transport = await opened.connected({ url: bus.url });
    const replies = Array.from({ length: 100 }, (_, index) => transport.exchange(request(`r-${index}`)).reply);
    let turns = 0;
    let pending = true;
    const all = Promise.all(replies).then(() => {
      pending = false;
    });
    await replies[0];
    while (pending) {
      turns += 1;
      await turn();
    }
    await all;
    expect(turns).toBeLessThan(10);
  });
});

describe("the WebSocket link comes and goes", () => {
  test("with 503 immediately while it is down: nothing is sent", async () => {
    const engine = await openScriptedEngine();
    await engine.close();
    const transport = await opened.transport({ url: engine.url });
    expect(transport.state).toBe("down");
    for (const lane of ["read", "change", "stop"] as const) {
      expect(await fate(transport, "r-1", lane)).toBe("unavailable, not sent");
    }
  });

  test("without an error for an engine that is unavailable when the gateway starts, and is found when it comes", async () => {
    const port = await freePort();
    const url = `ws://127.0.0.1:${port}`;
    const events = new Events();
    const transport = await opened.transport({ url, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "it is noticed that there is no engine");
    expect(events.of("down")[0]).toContain("ECONNREFUSED");
    const late = await opened.bus({ port });
    late.listen(echo);
    await until(() => transport.state === "up", "the link is up");
    expect(await fate(transport, "r-1")).toBe("r-1");
    expect(events.of("up")).toEqual([`Connected to the engine at ${url}`]);
  });

  test("and finds an engine that restarts again, as often as it does; each loss is reported once", async () => {
    const events = new Events();
    const port = await freePort();
    let bus = await opened.bus({ port });
    const transport = await opened.transport({ url: bus.url, onEvent: events.onEvent });
    for (let round = 1; round <= 5; round += 1) {
      bus.listen(echo);
      await until(() => transport.state === "up", "the link is up");
      expect(await fate(transport, `r-${round}`)).toBe(`r-${round}`);
      await bus.close();
      await until(() => events.of("down").some((message) => message.includes("1001")), "the loss is noticed");
      expect(transport.state).toBe("down");
      bus = await opened.bus({ port });
    }
    await until(() => events.of("up").length >= 6, "the link is up");
    expect(events.of("down").filter((message) => message.includes("1001"))).toHaveLength(5);
  });

  test("and a reason for which attempts keep failing is reported once", async () => {
    const engine = await openScriptedEngine();
    await engine.close();
    const events = new Events();
    await opened.transport({ url: engine.url, reconnect: { initialMs: 1, maxMs: 2 }, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "the first attempt fails");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(events.all).toHaveLength(1);
  });
});

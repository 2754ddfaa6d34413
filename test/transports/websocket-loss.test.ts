import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { LongList } from "../../src/core/load/long-list.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate, PatientEngine, request, turn } from "./support/link.ts";
import { OpenedWebSockets, proxyUrl } from "./support/websocket-link.ts";
import { openScriptedEngine, RawGateway } from "./support/websocket-peers.ts";
import { openWorkerEngine } from "./support/websocket-worker-engine.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

describe("D-ENG 3, D-LINK 1: whether a lost request had been sent is certain", () => {
  test("after a link that was cut after sending: sent", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const proxy = await opened.proxy(bus);
    const transport = await opened.connected({ url: proxyUrl(proxy) });
    const fates = [fate(transport, "r-1", "change"), fate(transport, "r-2", "stop"), fate(transport, "r-3", "read")];
    await engine.has("r-3");
    proxy.destroyAll();
    expect(await Promise.all(fates)).toEqual(Array(3).fill("unavailable, sent"));
  });

  test("D-LINK 2: after a link that was cut while the frame waits for the end of its tick: not sent, and the engine never sees it", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const proxy = await opened.proxy(bus);
    const transport = await opened.connected({ url: proxyUrl(proxy) });
    const sent = fate(transport, "sent", "change");
    await engine.has("sent");
    await turn();
    proxy.destroyAll();
    const unsent = fate(transport, "unsent", "change");
    expect(await Promise.all([sent, unsent])).toEqual(["unavailable, sent", "unavailable, not sent"]);
    await until(() => transport.state === "up", "the link is up again");
    const after = fate(transport, "after", "change");
    await engine.has("after");
    engine.answer("after");
    expect(await after).toBe("after");
    // Decision D-ENG 2: nothing is sent again on the new connection.
    expect(engine.arrived).toEqual(["sent", "after"]);
  });

  test("D-ENG 2: so that over many cuts the engine sees each command at most once, and never one that was not sent", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen((asked) => {
      void engine.handler(asked);
      return echo(asked);
    });
    const proxy = await opened.proxy(bus);
    const transport = await opened.connected({ url: proxyUrl(proxy) });
    const fates = new Map<string, unknown>();
    for (let index = 0; index < 2_000; index += 1) {
      if (index % 100 === 50) proxy.destroyAll();
      const id = `r-${index}`;
      void fate(transport, id, "change").then((known) => fates.set(id, known));
      if (index % 3 === 0) await turn();
    }
    await until(() => fates.size === 2_000, "every request has its fate");
    await until(() => transport.state === "up", "the link is up");
    await fate(transport, "last");
    const kinds = new Set([...fates].map(([id, known]) => (known === id ? "replied" : known)));
    expect(kinds).toEqual(new Set(["replied", "unavailable, sent", "unavailable, not sent"]));
    expect(new Set(engine.arrived).size).toBe(engine.arrived.length);
    expect(engine.arrived.filter((id) => String(fates.get(id)).endsWith("not sent"))).toEqual([]);
    expect([...fates].filter(([id, known]) => known === id && !engine.arrived.includes(id))).toEqual([]);
  });

  test("after closing, which ends all pending requests: sent what was sent, not sent what was not", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const transport = await opened.connected({ url: bus.url });
    const sent = fate(transport, "sent");
    await engine.has("sent");
    const unsent = fate(transport, "unsent");
    await transport.close();
    expect([await sent, await unsent]).toEqual(["unavailable, sent", "unavailable, not sent"]);
    expect(await fate(transport, "after")).toBe("unavailable, not sent");
    expect(transport.state).toBe("down");
    expect(engine.arrived).toEqual(["sent"]);
    await expect(transport.start()).rejects.toThrow("closed");
  });

  test("after a loss before a long reply that had come was parsed: that reply counts, the others are lost immediately", async () => {
    const engine = opened.add(await openScriptedEngine(), (scripted) => scripted.close());
    // One step in each turn of the event loop: the link has long been closed when the last comes.
    const gate = new Gate(systemClock, 0);
    const transport = await opened.connected({ url: engine.url, gate });
    const replied = fate(transport, "replied", "change");
    const lost = fate(transport, "lost", "stop");
    const settled: string[] = [];
    void replied.then(() => settled.push("replied"));
    void lost.then(() => settled.push("lost"));
    await until(() => engine.requests.length >= 2, "both requests arrive");
    const result = Array.from({ length: 100_000 }, (_, index) => `row ${index}`);
    engine.socket.send(JSON.stringify({ jsonrpc: "2.0", id: engine.requests[0]?.id, result }));
    engine.socket.close(1001);
    await until(() => transport.state === "down", "the link is lost");
    expect(await lost).toBe("unavailable, sent");
    expect(await replied).toBeInstanceOf(LongList);
    expect(settled).toEqual(["lost", "replied"]);
  });

  test("D-LOAD 2: a reply to a read that is no longer awaited is not parsed at all", async () => {
    const engine = opened.add(await openScriptedEngine(), (scripted) => scripted.close());
    const gate = new Gate(systemClock);
    const turns = vi.spyOn(gate, "turns");
    const events = new Events();
    const transport = await opened.connected({ url: engine.url, gate, onEvent: events.onEvent });
    transport.exchange(request("given-up")).abandon();
    await until(() => engine.requests.length >= 1, "the request arrives");
    const result = Array.from({ length: 1_000 }, (_, index) => `row ${index}`);
    engine.socket.send(JSON.stringify({ jsonrpc: "2.0", id: engine.requests[0]?.id, result }));
    await until(() => events.of("problem").length >= 1, "nobody awaits it");
    expect(turns).not.toHaveBeenCalled();
  });

  test("after an engine closed its bus, which sends the replies that it has given, and says that it goes away", async () => {
    const bus = await opened.bus();
    bus.listen((asked) => {
      // In the same tick, but after the reply.
      queueMicrotask(() => void bus.close());
      return echo(asked);
    });
    const events = new Events();
    const transport = await opened.connected({ url: bus.url, onEvent: events.onEvent });
    const client = await RawGateway.connect(bus.url);
    expect(await fate(transport, "r-1")).toBe("r-1");
    await until(() => client.closeCode !== undefined, "the connection is closed");
    expect(client.closeCode).toBe(1001);
    await until(() => events.of("down").length > 0, "the gateway notices");
    expect(events.of("down")[0]).toContain("going away");
  });
});

describe("D-LINK 6: a half-open link is noticed within 10 s", () => {
  test("with the default settings: two pings after its last sign, with the requests that waited", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const proxy = await opened.proxy(bus);
    const clock = new ManualClock();
    const events = new Events();
    const transport = await opened.connected({ url: proxyUrl(proxy), clock, onEvent: events.onEvent });
    const waiting = fate(transport, "r-1", "change");
    await engine.has("r-1");
    proxy.stall(true);
    const frozen = clock.now();
    while (transport.state === "up" && clock.now() < frozen + 60_000) {
      clock.advance(500);
      await turn();
      await turn();
    }
    expect(clock.now() - frozen).toBeLessThanOrEqual(10_000);
    expect(await waiting).toBe("unavailable, sent");
    expect(events.of("down")[0]).toContain("ping");
  });

  test("while a link that answers its pings stays, however long nothing else is said", async () => {
    let pings = 0;
    const engine = await openScriptedEngine({ onConnection: (socket) => socket.on("ping", () => (pings += 1)) });
    opened.add(engine, (it) => it.close());
    const clock = new ManualClock();
    const transport = await opened.connected({ url: engine.url, clock });
    for (let beat = 1; beat <= 5; beat += 1) {
      clock.advance(4_000);
      await until(() => pings === beat, "the engine is pinged");
      for (let turns = 0; turns < 20; turns += 1) await turn();
    }
    expect(transport.state).toBe("up");
    expect(engine.connections).toBe(1);
  });

  test("while a pause of the gateway's own process is not taken for the engine's silence", async () => {
    const engine = opened.add(await openWorkerEngine(), (it) => it.close());
    const clock = new ManualClock();
    const events = new Events();
    await opened.connected({ url: engine.url, clock, onEvent: events.onEvent });
    for (let beat = 1; beat <= 5; beat += 1) {
      clock.advance(4_000);
      await turn();
      // From here to the next beat nothing is read, though the pong is there.
      engine.blockUntilPinged(beat);
    }
    await turn();
    expect(events.of("down")).toEqual([]);
  });

  test("and a new connection is made", async () => {
    const bus = await opened.bus();
    bus.listen(echo);
    const proxy = await opened.proxy(bus);
    const events = new Events();
    const transport = await opened.connected({ url: proxyUrl(proxy), pingIntervalMs: 100, onEvent: events.onEvent });
    proxy.stall(true);
    await until(() => events.of("down").length > 0, "the dead link is noticed");
    await until(() => transport.state === "up", "there is a new one");
    expect(await fate(transport, "r-1")).toBe("r-1");
  });

  test("by the engine, too, which drops such gateways", async () => {
    const events = new Events();
    const bus = await opened.bus({ pingIntervalMs: 100, onEvent: events.onEvent });
    const proxy = await opened.proxy(bus);
    opened.add(await RawGateway.connect(proxyUrl(proxy)), ({ socket }) => socket.terminate());
    proxy.stall(true);
    await until(() => events.of("down").length > 0, "the dead gateway is noticed");
    expect(events.of("down")[0]).toContain("ping");
  });

  test("as is an engine that takes the connection and never answers the upgrade: it is given up and retried", async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    }).listen(0, "127.0.0.1");
    opened.add(server, (it) => it.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const events = new Events();
    await opened.transport({ url: `ws://127.0.0.1:${port}`, pingIntervalMs: 25, onEvent: events.onEvent });
    await until(() => connections >= 3, "it is tried again");
    expect(events.of("down")[0]).toContain("no reply");
  });

  test("as is a peer that says goodbye and then neither closes nor falls silent", async () => {
    const timers: NodeJS.Timeout[] = [];
    const engine = await openScriptedEngine({
      onConnection: (socket, tcp) => {
        socket.pause();
        timers.push(setInterval(() => tcp.writable && timers.length === 1 && tcp.write("?"), 10));
      },
    });
    opened.add(engine, (it) => {
      for (const timer of timers) clearInterval(timer);
      return it.close();
    });
    const transport = await opened.connected({ url: engine.url, pingIntervalMs: 50 });
    const waiting = fate(transport, "r-1");
    await turn();
    engine.socket.close(1012);
    expect(await waiting).toBe("unavailable, sent");
    await until(() => engine.connections >= 2, "there is a new connection");
  });
});

test("while a reply that crosses the goodbye is not a breach of the contract", async () => {
  const engine = opened.add(await openScriptedEngine(), (it) => it.close());
  const events = new Events();
  const transport = await opened.connected({ url: engine.url, onEvent: events.onEvent });
  const waiting = fate(transport, "r-1");
  await until(() => engine.requests.length >= 1, "the engine has the request");
  engine.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "fine" }));
  await transport.close();
  expect(await waiting).toBe("unavailable, sent");
  expect(events.of("problem")).toEqual([]);
});

test("unless it is closed while connecting, while waiting to connect, or twice", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  opened.add(server, (it) => it.close());
  await once(server, "listening");
  const connecting = await opened.transport({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await Promise.all([connecting.close(), connecting.close()]);
  const events = new Events();
  const clock = new ManualClock();
  const waiting = await opened.transport({ url: "ws://127.0.0.1:1", clock, onEvent: events.onEvent });
  await until(() => events.of("down").length > 0, "there is no engine");
  await waiting.close();
  expect(clock.pending).toBe(0);
  expect(() => waiting.exchange(request("r-1"))).toThrow("no connection");
});

import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import type { WebSocketBus, WebSocketBusOptions } from "../../transports/websocket.ts";
import { until } from "../support/until.ts";
import { Events, echo, request } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { RawGateway } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

/** A bus whose engine echoes, and a gateway whose frames are the test's. */
async function bench(
  options: Partial<WebSocketBusOptions> = {},
): Promise<{ bus: WebSocketBus; gateway: RawGateway; events: Events }> {
  const events = new Events();
  const bus = await opened.bus({ onEvent: events.onEvent, ...options });
  bus.listen(echo);
  const gateway = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
  return { bus, gateway, events };
}

function frame(id: unknown, overrides: object = {}): string {
  const { method, input, context } = request(`r-${id}`);
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { input, context }, ...overrides });
}

describe("D-LINK 4: bad messages get JSON-RPC error replies, and the connection stays open", () => {
  test.each([
    ["not JSON", "hello", -32700, null],
    ["empty", "", -32700, null],
    ["not JSON, with an id that can be told", '{"jsonrpc":"2.0","id":7,"method":', -32700, 7],
    ["not an object", "[]", -32600, null],
    ["not JSON-RPC 2.0", '{"id":7,"method":"haltTrading"}', -32600, 7],
    ["an id that is an object", frame({}), -32600, null],
    ["an unknown method", frame(7, { method: "dropTables" }), -32601, 7],
    ["a method of every object", frame("x", { method: "constructor" }), -32601, "x"],
    ["params that are null", frame(7, { params: null }), -32602, 7],
    ["params without context", frame(7, { params: { input: {} } }), -32602, 7],
    ["a binary frame", Buffer.from(frame(7)), -32600, null],
  ])("such as %s", async (_name, message, code, id) => {
    const { gateway, events } = await bench();
    expect(await gateway.ask(message)).toEqual({
      jsonrpc: "2.0",
      id,
      error: { code, message: expect.stringMatching(/./) },
    });
    expect(await gateway.ask(frame(8))).toEqual({ jsonrpc: "2.0", id: 8, result: "r-8" });
    expect(events.of("problem")).toHaveLength(1);
  });

  test("such as text that is not UTF-8", async () => {
    const { gateway } = await bench();
    gateway.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect(await gateway.ask(frame(8))).toMatchObject({ id: null, error: { code: -32700 } });
  });

  test("unlike notifications, which are neither run nor replied to (JSON-RPC 2.0, section 4.1)", async () => {
    const { bus, gateway, events } = await bench();
    const ran: string[] = [];
    bus.listen((asked) => {
      ran.push(asked.context.requestId);
      return echo(asked);
    });
    gateway.socket.send(frame(undefined));
    expect(await gateway.ask(frame(8))).toMatchObject({ id: 8 });
    expect(ran).toEqual(["r-8"]);
    expect(events.of("problem")).toHaveLength(1);
  });

  test("such as a request that is too long, of which nothing is begun; one beyond the hard limit costs the connection", async () => {
    const { gateway, events } = await bench({ maxMessageBytes: 1_000 });
    const long = (length: number): string => frame(7, { padding: "x".repeat(length) });
    expect(await gateway.ask(long(1_000))).toMatchObject({ id: 7, error: { code: -32001 } });
    expect(await gateway.ask(frame(8))).toMatchObject({ id: 8, result: "r-8" });
    gateway.socket.send(long(5_000));
    await until(() => gateway.closeCode !== undefined, "the connection is closed");
    expect(gateway.closeCode).toBe(1009);
    await until(() => events.of("down").length > 0, "the engine has seen it close");
    expect(events.of("down")).toHaveLength(1);
  });

  test("unlike a request with a body of 1 MiB, which is read", async () => {
    const { gateway } = await bench();
    const { method, context } = request("r-1");
    const params = { input: { commands: "x".repeat(1024 * 1024) }, context };
    expect(await gateway.ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).toMatchObject({ id: 1 });
  });

  test("but frames that are not WebSocket frames cost their connection and no other", async () => {
    const { bus, gateway } = await bench();
    const { port } = new URL(bus.url);
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    socket.on("error", () => {});
    socket.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: trading-admin.v1\r\n\r\n`,
    );
    socket.write(Buffer.alloc(64, 0xff));
    socket.resume();
    await until(() => socket.closed, "the connection is closed");
    expect(await gateway.ask(frame(8))).toMatchObject({ id: 8 });
  });
});

describe("the engine behind the bus", () => {
  test("may fail, thrown, rejected or unspeakable: that is a reply, and the next request is served", async () => {
    const { bus, gateway } = await bench();
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    bus.listen(async ({ context }) => {
      if (context.requestId === "r-1") throw new Error("thrown");
      if (context.requestId === "r-2") return await Promise.reject(new Error("rejected"));
      if (context.requestId === "r-3") return { ok: true, result: cyclic };
      if (context.requestId === "r-4") return { ok: true, result: 1n };
      return { ok: true, result: undefined };
    });
    expect(await gateway.ask(frame(1))).toMatchObject({ id: 1, error: { code: -32603, message: "thrown" } });
    expect(await gateway.ask(frame(2))).toMatchObject({ id: 2, error: { code: -32603, message: "rejected" } });
    expect(await gateway.ask(frame(3))).toMatchObject({ id: 3, error: { code: -32603 } });
    expect(await gateway.ask(frame(4))).toMatchObject({ id: 4, error: { code: -32603 } });
    expect(await gateway.ask(frame(5))).toEqual({ jsonrpc: "2.0", id: 5, result: null });
  });

  test("does not get requests that come before it listens: they are refused as unavailable", async () => {
    const bus = await opened.bus();
    const gateway = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    expect(await gateway.ask(frame(1))).toMatchObject({ id: 1, error: { code: -32004 } });
    bus.listen(echo);
    expect(await gateway.ask(frame(2))).toMatchObject({ id: 2, result: "r-2" });
  });

  test("D-ENG 1, D-ENG 13: drops what comes after its deadline, and the reply says so", async () => {
    const bus = await opened.bus();
    const engine = new SimulatedEngine(await loadInstallation(sampleInstallation()));
    await serveEngine(engine, bus);
    const gateway = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    const { context } = request("r-1");
    const late = frame(1, { params: { input: {}, context: { ...context, deadline: Date.now() - 60_000 } } });
    expect(await gateway.ask(late)).toMatchObject({ error: { code: -32001, message: /deadline/ } });
  });

  test("sends replies nowhere when the gateway has left", async () => {
    const { bus, gateway, events } = await bench();
    const answers: (() => void)[] = [];
    bus.listen((asked) => new Promise((resolve) => answers.push(() => resolve(echo(asked)))));
    gateway.socket.send(frame(1));
    await until(() => answers.length >= 1, "the request arrives");
    gateway.socket.terminate();
    await until(() => events.of("down").length >= 1, "the gateway has left");
    answers[0]?.();
    const other = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    other.socket.send(frame(2));
    await until(() => answers.length >= 2, "the request arrives");
    answers[1]?.();
    await until(() => other.received.length >= 1, "it is answered");
    expect(other.received).toEqual([{ jsonrpc: "2.0", id: 2, result: "r-2" }]);
  });
});

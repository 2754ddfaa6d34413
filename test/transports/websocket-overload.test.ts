import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { Gate } from "../../src/core/load/gate.ts";
import { longListIn } from "../../src/core/load/long-list.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ENGINE_STATUS } from "../../transports/json-rpc/contract.ts";
import { restOfOthers } from "../support/rest-of-others.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate, PatientEngine, request, turn } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine, RawGateway } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

const OVERLOADED = "overloaded, not sent";

describe("D-LINK 3: back-pressure from the engine's own engine.status", () => {
  test("holds reads and changes back while the engine says that it is overloaded; stops still go", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen((asked) => {
      void engine.handler(asked);
      return echo(asked);
    });
    const transport = await opened.connected({ url: bus.url });
    expect(await fate(transport, "before")).toBe("before");
    bus.setOverloaded(true);
    await until(() => refuses(transport), "the gateway is told");
    expect(await fate(transport, "read", "read")).toBe(OVERLOADED);
    expect(await fate(transport, "change", "change")).toBe(OVERLOADED);
    expect(await fate(transport, "stop", "stop")).toBe("stop");
    expect(engine.arrived).not.toContain("read");
    expect(engine.arrived).not.toContain("change");
    bus.setOverloaded(false);
    await until(() => !refuses(transport), "the gateway is told");
    expect(await fate(transport, "after")).toBe("after");
  });

  test("is sent to all gateways, to later ones right after connecting, and only when it changes", async () => {
    const bus = await opened.bus();
    const early = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    bus.setOverloaded(true);
    bus.setOverloaded(true);
    const late = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    bus.setOverloaded(false);
    bus.setOverloaded(false);
    const last = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    const status = (overloaded: boolean): unknown => ({
      jsonrpc: "2.0",
      method: ENGINE_STATUS,
      params: { overloaded },
    });
    await until(() => early.received.length >= 2 && late.received.length === 2, "both are told");
    expect(early.received).toEqual([status(true), status(false)]);
    expect(late.received).toEqual([status(true), status(false)]);
    expect(last.received).toEqual([]);
  });

  test("does not exist on a new connection", async () => {
    const engine = opened.add(await openScriptedEngine(), (it) => it.close());
    const transport = await opened.connected({ url: engine.url });
    engine.socket.send(JSON.stringify({ jsonrpc: "2.0", method: ENGINE_STATUS, params: { overloaded: true } }));
    await until(() => refuses(transport), "the gateway is told");
    engine.socket.terminate();
    await until(() => engine.connections === 2 && transport.state === "up", "the link is up again");
    expect(refuses(transport)).toBe(false);
  });
});

describe("D-LANE 2: back-pressure from bufferedAmount", () => {
  test("holds reads and changes back beyond the limit; stops go, up to their reserve", async () => {
    const engine = await openScriptedEngine({ onConnection: (socket) => socket.pause() });
    opened.add(engine, (it) => it.close());
    const transport = await opened.connected({ url: engine.url, maxBufferedBytes: 256 * 1024 });
    const filler = { text: "x".repeat(128 * 1024) };
    const send = async (lane: "read" | "stop"): Promise<boolean> => {
      // Without a pause nothing would ever get from the batch into the socket.
      await turn();
      try {
        transport.exchange(request("filler", lane, filler)).abandon();
        return true;
      } catch {
        return false;
      }
    };
    let reads = 0;
    while (await send("read")) reads += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    while (await send("read")) reads += 1;
    expect(reads).toBeGreaterThan(0);
    expect(await fate(transport, "read", "read")).toBe(OVERLOADED);
    expect(await fate(transport, "change", "change")).toBe(OVERLOADED);
    let stops = 0;
    while (await send("stop")) stops += 1;
    // The reserve is 1 MiB.
    expect(stops).toBeGreaterThanOrEqual(7);
    expect(stops).toBeLessThanOrEqual(9);
    expect(await fate(transport, "stop", "stop")).toBe(OVERLOADED);
    engine.socket.resume();
    await until(() => !refuses(transport), "the engine reads again");
  });

  test("counts frames that wait for the end of their tick, too", async () => {
    const bus = await opened.bus();
    bus.listen(echo);
    const transport = await opened.connected({ url: bus.url, maxBufferedBytes: 1_000 });
    const fates = Array.from({ length: 100 }, (_, index) => fate(transport, `r-${index}`));
    const refused = (await Promise.all(fates)).filter((known) => known === OVERLOADED);
    expect(refused.length).toBeGreaterThan(80);
    expect(refused.length).toBeLessThan(100);
    expect(await fate(transport, "after")).toBe("after");
  });
});

describe("D-LANE 2: the limits of an engine over a WebSocket", () => {
  test("refuse requests beyond the limit in flight concurrently with -32003; stops have places of their own", async () => {
    const bus = await opened.bus({ maxInFlight: 3 });
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const transport = await opened.connected({ url: bus.url });
    const waiting = ["a", "b", "c"].map((id) => fate(transport, id));
    expect(await fate(transport, "d", "read")).toContain("overloaded: ");
    expect(await fate(transport, "e", "change")).toContain("overloaded: ");
    const stops = Array.from({ length: 64 }, (_, index) => fate(transport, `stop-${index}`, "stop"));
    expect(await fate(transport, "stop-64", "stop")).toContain("overloaded: ");
    await engine.has("stop-63");
    for (const id of engine.arrived) engine.answer(id);
    expect(await Promise.all(waiting)).toEqual(["a", "b", "c"]);
    expect(await Promise.all(stops)).toEqual(Array.from({ length: 64 }, (_, index) => `stop-${index}`));
    const after = fate(transport, "after");
    await engine.has("after");
    engine.answer("after");
    expect(await after).toBe("after");
    expect(engine.arrived).not.toContain("d");
  });

  test("belong to each connection", async () => {
    const bus = await opened.bus({ maxInFlight: 1 });
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const [one, other] = [await opened.connected({ url: bus.url }), await opened.connected({ url: bus.url })];
    const waiting = [fate(one, "a"), fate(other, "b")];
    await engine.has("a");
    await engine.has("b");
    engine.answer("a");
    engine.answer("b");
    expect(await Promise.all(waiting)).toEqual(["a", "b"]);
  });

  test("drop a gateway that does not read its replies before they fill the memory, and no other", async () => {
    const events = new Events();
    const bus = await opened.bus({ onEvent: events.onEvent });
    const big = "x".repeat(4 * 1024 * 1024);
    bus.listen(async ({ method, context }) => ({
      ok: true,
      result: method === "haltTrading" ? context.requestId : big,
    }));
    const slow = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    const transport = await opened.connected({ url: bus.url });
    slow.socket.pause();
    const { method, input, context } = request("r-1");
    const frame = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, method, params: { input, context } });
    for (let id = 1; events.of("down").length === 0 && id < 100; id += 1) {
      slow.socket.send(frame(id));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until(() => events.of("down").length > 0, "it is dropped");
    expect(events.of("down")[0]).toContain("unread");
    expect(await fate(transport, "still here", "stop")).toBe("still here");
  });
});

describe("D-LOAD 2: a long reply over a WebSocket is parsed in turns of the gate", () => {
  test("and short replies behind it are not kept waiting", async () => {
    const clock = new ManualClock();
    const gate = new Gate(clock);
    const engine = opened.add(await openScriptedEngine(), (it) => it.close());
    const events = new Events();
    const transport = await opened.connected({ url: engine.url, gate, onEvent: events.onEvent });
    const rows = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);
    const settled: string[] = [];
    const asked = ["long", "short"].map((id) => fate(transport, id).finally(() => settled.push(id)));
    await until(() => engine.requests.length >= 2, "the engine has both requests");
    const proceed = await restOfOthers({ api: { gate }, clock });
    engine.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: rows }));
    await pause(50);
    engine.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 2, result: "fine" }));
    expect(await asked[1]).toBe("fine");
    expect(settled).toEqual(["short"]);
    proceed();
    expect(longListIn(await asked[0])?.with([])).toEqual([]);
    expect(events.of("problem")).toEqual([]);
  });
});

/** Whether a read is refused as overload now. */
function refuses(transport: Awaited<ReturnType<OpenedWebSockets["connected"]>>): boolean {
  try {
    transport.exchange(request("probe")).abandon();
    return false;
  } catch {
    return true;
  }
}

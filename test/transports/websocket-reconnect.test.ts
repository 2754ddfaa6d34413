import { afterEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { ENGINE_STATUS } from "../../transports/json-rpc/contract.ts";
import { Backoff } from "../../transports/link/link.ts";
import { until } from "../support/until.ts";
import { fate, request } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine, type ScriptedEngineOptions } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

const PING_MS = 4_000;

/** The waits between 15 connections to an engine that drops each of them, in milliseconds; none of them is waited for. */
async function waits(onConnection: ScriptedEngineOptions["onConnection"]): Promise<number[]> {
  const engine = await openScriptedEngine({ ...(onConnection && { onConnection }) });
  opened.add(engine, (it) => it.close());
  const waited: number[] = [];
  const clock: Clock = {
    now: systemClock.now,
    monotonic: systemClock.monotonic,
    schedule: (delayMs, task) => {
      if (delayMs % 1_000 === 0) return systemClock.schedule(delayMs, task);
      waited.push(delayMs);
      return systemClock.schedule(0, task);
    },
  };
  const reconnect = { initialMs: 100, maxMs: 1_000_000 };
  await opened.transport({ url: engine.url, clock, reconnect, pingIntervalMs: PING_MS });
  await until(() => engine.connections >= 15, "there were 15 connections");
  return waited;
}

describe("D-LINK 5: reconnect with jittered backoff", () => {
  test("at intervals that grow to the limit, are spread over their whole range, and begin anew after a success", () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 5_000 });
    for (const longest of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
      const wait = backoff.next();
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(longest);
    }
    const drawn = Array.from({ length: 1_000 }, () => backoff.next());
    expect(Math.min(...drawn)).toBeLessThan(1_000);
    expect(Math.max(...drawn)).toBeGreaterThan(4_000);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(5_000);
    backoff.reset();
    expect(backoff.next()).toBeLessThanOrEqual(100);
  });

  test("for ever", () => {
    const backoff = new Backoff({ initialMs: 1, maxMs: 10 });
    const drawn = Array.from({ length: 5_000 }, () => backoff.next());
    expect(drawn.every((wait) => wait >= 0 && wait <= 10)).toBe(true);
  });

  test("at growing intervals too for an engine that takes connections only to drop them", async () => {
    expect(Math.max(...(await waits((socket) => socket.terminate())))).toBeGreaterThan(1_000);
  });

  test("immediately for an engine that has sent a message: the intervals begin anew", async () => {
    const status = JSON.stringify({ jsonrpc: "2.0", method: ENGINE_STATUS, params: { overloaded: true } });
    const waited = await waits((socket) => {
      socket.send(status);
      socket.close(1012);
    });
    expect(waited.length).toBeGreaterThanOrEqual(14);
    expect(Math.max(...waited)).toBeLessThanOrEqual(100);
  });
});

describe("D-LINK 19: a stop that finds no link brings the next attempt to connect forward", () => {
  /** A link that was lost, and whose next attempt is due in an hour or so. */
  async function lost() {
    const engine = await openScriptedEngine();
    opened.add(engine, (it) => it.close());
    const clock = { ...systemClock, schedule: postponed };
    const transport = await opened.connected({ url: engine.url, clock, reconnect: { initialMs: 100, maxMs: 100 } });
    engine.socket.terminate();
    await until(() => transport.state === "down", "the link is lost");
    return { engine, transport };
  }

  /** Pings and limits keep their times. */
  function postponed(delayMs: number, task: () => void): () => void {
    return systemClock.schedule(delayMs <= 100 ? 3_600_000 : delayMs, task);
  }

  test("it is refused as not sent, and the next one is sent", async () => {
    const { engine, transport } = await lost();
    expect(() => transport.exchange(request("halt-1", "stop"))).toThrow("There is no connection to the engine");
    await until(() => transport.state === "up", "the link is back");
    void fate(transport, "halt-2", "stop");
    await until(() => engine.requests.length >= 1, "the halt arrives");
    expect(engine.connections).toBe(2);
  });

  test("many of them bring one attempt, reads and changes none, nor does a stop after the end", async () => {
    const { engine, transport } = await lost();
    for (const lane of ["read", "change"] as const) {
      expect(() => transport.exchange(request("r", lane))).toThrow("There is no connection to the engine");
    }
    expect(engine.connections).toBe(1);
    for (let count = 0; count < 20; count += 1) expect(() => transport.exchange(request("halt", "stop"))).toThrow();
    await until(() => transport.state === "up", "the link is back");
    expect(engine.connections).toBe(2);
    await transport.close();
    expect(() => transport.exchange(request("halt", "stop"))).toThrow();
    expect(engine.connections).toBe(2);
  });
});

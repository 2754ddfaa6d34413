import { afterEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { ENGINE_STATUS } from "../../transports/json-rpc/contract.ts";
import { Backoff } from "../../transports/link/link.ts";
import { until } from "../support/until.ts";
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

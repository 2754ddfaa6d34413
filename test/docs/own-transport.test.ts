import { MessageChannel } from "node:worker_threads";
import { AdminApi } from "trading-admin-api";
import { type Engine, serveEngine } from "trading-admin-api/engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { workerBus } from "./snippets/own-bus.ts";
import { WorkerTransport } from "./snippets/own-transport.ts";

describe("D-ENG 3: the transport of docs/engine/transport.md says of each failure whether the request was sent", () => {
  async function open(haltTrading: Engine["haltTrading"]) {
    const { port1, port2 } = new MessageChannel();
    await serveEngine({ haltTrading } as Engine, workerBus(port2));
    const api = new AdminApi({ transport: new WorkerTransport(port1), audit: { write: () => {} } });
    await api.start();
    onTestFinished(() => api.close());
    return { chief: api.as(principal("chief", PERMISSIONS)), endEngine: () => port2.close() };
  }

  it("the engine's reply, whether it accepts or refuses, arrives", async () => {
    const seen: unknown[] = [];
    const { chief } = await open((input, { user }) => {
      seen.push([input.reason, user]);
      return null;
    });
    expect(await chief.haltTrading({ reason: "drill" })).toBeNull();
    expect(seen).toEqual([["drill", "chief"]]);
  });

  it("what was in progress when the engine ended is unknown, what comes later was not sent", async () => {
    const asked = vi.fn(() => new Promise<null>(() => {}));
    const { chief, endEngine } = await open(asked);
    const halt = chief.haltTrading({});
    await expect.poll(() => asked.mock.calls.length).toBe(1);
    endEngine();
    await expect(halt).rejects.toMatchObject({ code: "ENGINE_TIMEOUT", outcome: "unknown" });
    await expect(chief.haltTrading({})).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", outcome: "not-sent" });
  });

  it("D-LANE 1: stops have places of their own", async () => {
    const { port1 } = new MessageChannel();
    const transport = new WorkerTransport(port1);
    await transport.start();
    const context = { user: "chief", requestId: "1", deadline: Date.now() + 1_000 };
    const read = { method: "getTradingStatus", input: {}, lane: "read", context } as const;
    const lost = Array.from({ length: 512 }, () => transport.exchange(read).reply);
    expect(() => transport.exchange(read)).toThrow("Too many");
    lost.push(transport.exchange({ ...read, method: "haltTrading", lane: "stop" }).reply);
    await transport.close();
    const ends = await Promise.allSettled(lost);
    expect(ends).toEqual(Array(513).fill({ status: "rejected", reason: expect.objectContaining({ sent: true }) }));
  });
});

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { EngineTransport } from "../../src/core/engine/transport.ts";
import { AdminError } from "../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { type EngineBus, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { MemoryAudit } from "../../src/testing/rig.ts";
import { EngineClock } from "../../transports/link/engine-clock.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";
import { Opened } from "../transports/support/link.ts";

const CHIEF = principal("chief", PERMISSIONS);
const GOLD = "Account[GOLD]";

/** One gateway of several, with a link that can stall. */
interface Gateway {
  readonly api: AdminApi;
  readonly audit: MemoryAudit;
  readonly link: TcpProxy;
}

/** The engine's end of a bus, and how a gateway reaches it through a port. */
interface EngineEnd {
  readonly bus: EngineBus & { close(): Promise<void> };
  readonly port: number;
  transport(port: number, engineClock: EngineClock): EngineTransport;
}

let natsServer: NatsServer;
let prefixes = 0;

const WIRES: Readonly<Record<string, () => Promise<EngineEnd>>> = {
  websocket: async () => {
    const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
    const transport = (port: number, engineClock: EngineClock) =>
      new WebSocketTransport({ url: `ws://127.0.0.1:${port}`, engineClock });
    return { bus, port: Number(new URL(bus.url).port), transport };
  },
  nats: async () => {
    prefixes += 1;
    const subjectPrefix = `order-${prefixes}`;
    const bus = await openNatsBus({ servers: natsServer.url, subjectPrefix, closeTimeoutMs: 0 });
    const transport = (port: number, engineClock: EngineClock) =>
      new NatsTransport({ servers: `nats://127.0.0.1:${port}`, subjectPrefix, engineClock });
    return { bus, port: natsServer.port, transport };
  },
};

const opened = new Opened();

beforeAll(async () => {
  natsServer = await startNatsServer();
});
afterEach(() => opened.close());
afterAll(() => natsServer.stop());

/** Less than the tests leave between two commands. */
const CERTAIN_MS = 20;

/** Two gateways before one engine. */
async function openCluster(wire: () => Promise<EngineEnd>, timeoutMs = 10_000, aheadMs = 0) {
  const end = await wire();
  opened.add(end.bus, (bus) => bus.close());
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), end.bus);
  const gateway = async (ahead: number): Promise<Gateway> => {
    // Both gateways and the engine are one process: that it is paused is not to be noticed as on one gateway (D-ENG 22).
    const { every: _, ...unwatched } = systemClock;
    const clock: Clock = { ...unwatched, now: () => Date.now() + ahead };
    const link = opened.add(await startTcpProxy(end.port), (it) => it.close());
    const engineClock = new EngineClock(() => {}, clock);
    const transport = end.transport(link.port, engineClock);
    const audit = new MemoryAudit();
    const api = opened.add(new AdminApi({ transport, audit, clock, timeoutMs }), (it) => it.close());
    await api.start();
    await until(() => api.linkState === "up", "the link is up");
    // On a busy machine the first replies are slow, and say little of the engine's clock.
    await until(async () => {
      await api.as(CHIEF).getTradingStatus();
      return (engineClock.arrival(engineClock.moment())?.arrivedWithin ?? CERTAIN_MS) < CERTAIN_MS;
    }, "the gateway knows the engine's clock well");
    return { api, audit, link };
  };
  return { a: await gateway(0), b: await gateway(aheadMs) };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "applied",
    (error: unknown) => (error instanceof AdminError ? `${error.code} ${error.outcome}` : String(error)),
  );
}

async function isHalted({ api }: Gateway, projectionPath = GOLD): Promise<boolean> {
  return (await api.as(CHIEF).getTradingStatus({ projectionPath })).halted;
}

describe.each(Object.entries(WIRES))("D-ENG 21 over %s, with two gateways", (_name, wire) => {
  it("a resume whose body comes slowly at one does not follow a later halt at the other", async () => {
    const { a, b } = await openCluster(wire);
    let send = (): void => {};
    const body = new Promise((resolve) => {
      send = () => resolve({ projectionPath: GOLD, reason: "slow body" });
    });
    const read = vi.fn(() => body);
    const resuming = codeOf(a.api.invoke("resumeTrading", { known: {}, read }, CHIEF));
    await until(() => read.mock.calls.length === 1, "the body is read");
    await pause(50);
    await b.api.as(CHIEF).haltTrading({ projectionPath: "", reason: "now" });
    send();
    expect(await resuming).toBe("STOP_CAME_FIRST not-sent");
    expect(a.audit.stages).toEqual(["intent", "not-sent"]);
    await expect.poll(() => isHalted(b, "")).toBe(true);
  });

  it("a resume whose record waits for a slow disk at one does not follow a later halt at the other", async () => {
    const { a, b } = await openCluster(wire);
    let recover = (): void => {};
    const disk = new Promise<void>((resolve) => {
      recover = resolve;
    });
    const write = a.audit.write.bind(a.audit);
    const waiting = vi.spyOn(a.audit, "write").mockImplementationOnce(async (record) => {
      await disk;
      await write(record);
    });
    const resuming = codeOf(a.api.as(CHIEF).resumeTrading({ projectionPath: GOLD, reason: "slow disk" }));
    await until(() => waiting.mock.calls.length === 1, "the record is written");
    await pause(50);
    await b.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "now" });
    recover();
    expect(await resuming).toBe("STOP_CAME_FIRST not-sent");
    expect(a.audit.stages).toEqual(["intent", "not-sent"]);
    await expect.poll(() => isHalted(b)).toBe(true);
  });

  it("a resume that is held up on the way does not follow a later halt at the other", async () => {
    const { a, b } = await openCluster(wire);
    await b.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "before" });
    a.link.stall(true);
    const resuming = codeOf(a.api.as(CHIEF).resumeTrading({ projectionPath: GOLD, reason: "stuck" }));
    await pause(100);
    await b.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "after the resume" });
    a.link.stall(false);
    expect(await resuming).toBe("STOP_CAME_FIRST not-sent");
    await expect.poll(() => isHalted(b)).toBe(true);
  });

  it("a halt that was answered unknown is history after a later resume: it is dropped, and that is on record", async () => {
    const { a, b } = await openCluster(wire, 2_000);
    a.link.stall(true);
    expect(await codeOf(a.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "late" }))).toBe(
      "ENGINE_TIMEOUT unknown",
    );
    await b.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "second" });
    await b.api.as(CHIEF).resumeTrading({ projectionPath: GOLD, reason: "all clear" });
    await expect.poll(() => isHalted(b)).toBe(false);
    a.link.stall(false);
    await expect.poll(() => a.audit.stages).toEqual(["intent", "unknown", "rejected late"]);
    expect(await isHalted(b)).toBe(false);
  });

  it("a halt that was answered unknown is carried out when it comes, where nothing has undone it", async () => {
    const { a, b } = await openCluster(wire, 2_000);
    a.link.stall(true);
    const halting = codeOf(a.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "late" }));
    expect(await halting).toBe("ENGINE_TIMEOUT unknown");
    await b.api.as(CHIEF).resumeTrading({ projectionPath: "Account[SILVER]", reason: "another node" });
    a.link.stall(false);
    await expect.poll(() => a.audit.stages).toEqual(["intent", "unknown", "applied late"]);
    await expect.poll(() => isHalted(b)).toBe(true);
  });

  it.each([800, -800])("clocks that differ by %i ms: no resume that follows a halt is refused", async (aheadMs) => {
    const { a, b } = await openCluster(wire, 10_000, aheadMs);
    for (let count = 0; count < 20; count += 1) {
      const [first, second] = count % 2 === 0 ? [a, b] : [b, a];
      await first.api.as(CHIEF).haltTrading({ projectionPath: GOLD, reason: "drill" });
      expect(await codeOf(second.api.as(CHIEF).resumeTrading({ projectionPath: GOLD, reason: "over" }))).toBe(
        "applied",
      );
    }
  });
});

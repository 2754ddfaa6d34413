import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import type { AdminApiOptions } from "../../src/core/admin-api-options.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { EngineTransport } from "../../src/core/engine/transport.ts";
import { AdminError } from "../../src/core/errors.ts";
import { operationRecord, operations } from "../../src/core/operations/table.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { type EngineBus, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { EngineGate } from "../../src/testing/engine-gate.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { MemoryAudit } from "../../src/testing/rig.ts";
import { EngineClock } from "../../transports/link/engine-clock.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { ENDPOINTS, type Endpoint, endpoint, MUTATIONS } from "../requirements/support/endpoints.ts";
import { aboutSeconds, OFFSET_ERROR_MS } from "../support/engine-clock.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { Events, Opened } from "../transports/support/link.ts";
import { openNatsPeer } from "./support/nats-peer.ts";
import type { Peer } from "./support/peer.ts";
import { openWebSocketPeer } from "./support/websocket-peer.ts";

const HOUR = 3_600_000;
const CHIEF = principal("chief", PERMISSIONS);

/** The engine's end of a bus and the gateway's, with the clock of each. */
interface Ends {
  readonly bus: EngineBus & { close(): Promise<void> };
  readonly transport: EngineTransport;
}

interface WireEnds {
  open(clock: Clock, engineClock: EngineClock): Promise<Ends>;
  peer(): Promise<Peer>;
}

let natsServer: NatsServer;
let prefixes = 0;

const WIRES: Readonly<Record<string, WireEnds>> = {
  websocket: {
    open: async (clock, engineClock) => {
      const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0, clock });
      return { bus, transport: new WebSocketTransport({ url: bus.url, engineClock }) };
    },
    peer: openWebSocketPeer,
  },
  nats: {
    open: async (clock, engineClock) => {
      prefixes += 1;
      const link = { servers: natsServer.url, subjectPrefix: `clock-${prefixes}` };
      const bus = await openNatsBus({ ...link, clock, closeTimeoutMs: 0 });
      return { bus, transport: new NatsTransport({ ...link, engineClock }) };
    },
    peer: () => openNatsPeer(natsServer.url, "clock-peer"),
  },
};

/** A gateway and an engine on machines whose clocks differ. */
interface ClockWorld {
  readonly audit: MemoryAudit;
  readonly gate: EngineGate;
  readonly engineClock: EngineClock;
  readonly events: Events;
  /** Status that the caller of an operation gets. */
  call(what: Endpoint): Promise<number>;
}

const opened = new Opened();

beforeAll(async () => {
  natsServer = await startNatsServer();
});
afterEach(() => opened.close());
afterAll(() => natsServer.stop());

async function openWorld(wire: WireEnds, aheadMs: number, options: Partial<AdminApiOptions> = {}): Promise<ClockWorld> {
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const events = new Events();
  const engineClock = new EngineClock(events.onEvent);
  const { bus, transport } = await wire.open(clock, engineClock);
  opened.add(bus, (it) => it.close());
  const gate = new EngineGate(bus);
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), gate, clock);
  const audit = new MemoryAudit();
  const api = opened.add(new AdminApi({ transport, audit, ...options }), (it) => it.close());
  await api.start();
  await until(() => transport.state === "up", "the link is up");
  const call = async ({ name, input }: Endpoint): Promise<number> => {
    try {
      await api.call(name, input as never, CHIEF);
      return 200;
    } catch (error) {
      if (error instanceof AdminError) return error.status;
      throw error;
    }
  };
  return { audit, gate, engineClock, events, call };
}

const STOPS = MUTATIONS.filter(({ name }) => operationRecord(operations, name).lane === "stop");
const RESUME = endpoint("resumeTrading");

describe.each(Object.entries(WIRES))("D-LINK 9 over %s, when the engine's clock is off", (_name, wire) => {
  test.each([
    ["ahead", HOUR],
    ["behind", -HOUR],
  ])("an hour %s: every operation is carried out, a stop immediately", async (_direction, aheadMs) => {
    const { call } = await openWorld(wire, aheadMs);
    for (const what of [...STOPS, ...ENDPOINTS]) expect([what.name, await call(what)]).toEqual([what.name, 200]);
  });

  test("D-ENG 21: ahead: before a change that is the first of all, a read finds it out", async () => {
    const { call } = await openWorld(wire, HOUR);
    expect(await call(RESUME)).toBe(200);
  });

  test.each([
    ["ahead", HOUR],
    ["behind", -HOUR],
    ["right", 0],
  ])(
    "%s: a change that has waited in the engine's queue for longer than the time left is dropped, a stop is not",
    async (_what, aheadMs) => {
      const clock = new ManualClock(Date.now());
      const { call, gate, audit } = await openWorld(wire, aheadMs, { timeoutMs: 50, clock });
      await expect.poll(() => call(endpoint("listServices"))).toBe(200);
      gate.hold();
      for (const mutation of MUTATIONS) {
        const called = call(mutation);
        await until(() => gate.seen.at(-1)?.method === mutation.name, `${mutation.name} is at the engine`);
        clock.advance(50);
        expect(await called).toBe(504);
      }
      // The engine counts from arrival, which was a little later than sending.
      await pause(100);
      gate.release();
      const late = () => audit.records.filter(({ stage }) => stage.endsWith("late"));
      await expect.poll(late).toHaveLength(MUTATIONS.length);
      for (const { operation, stage } of late()) {
        const isStop = STOPS.some(({ name }) => name === operation);
        expect([operation, stage]).toEqual([operation, isStop ? "applied late" : "rejected late"]);
      }
    },
  );

  test.each([
    [HOUR, "ahead of"],
    [-HOUR, "behind"],
  ])("by %i ms: the gateway learns it from the replies and says it once", async (aheadMs, words) => {
    const { call, engineClock, events } = await openWorld(wire, aheadMs);
    const offsetAfterRead = async (): Promise<number> => {
      await call(endpoint("listServices"));
      return engineClock.offsetMs ?? Number.NaN;
    };
    // A reply that comes late does not tell.
    await expect.poll(offsetAfterRead).not.toBeNaN();
    for (let count = 0; count < 20; count += 1) await offsetAfterRead();
    expect(Math.abs((await offsetAfterRead()) - aheadMs)).toBeLessThanOrEqual(OFFSET_ERROR_MS);
    expect(events.of("problem")).toEqual([expect.stringMatching(`${aboutSeconds(3_600)} s ${words} this gateway's`)]);
  });

  test("an engine that does not tell its time is sent the time left, and the deadline unchanged", async () => {
    const peer = opened.add(await wire.peer(), (it) => it.close());
    peer.behave(({ answer }) => answer({ result: [] }));
    const clock = new ManualClock(Date.now());
    const api = new AdminApi({ transport: peer.transport, audit: new MemoryAudit(), clock });
    opened.add(api, (it) => it.close());
    for (let count = 0; count < 3; count += 1) await api.call("listServices", {}, CHIEF);
    for (const { context } of peer.seen) {
      expect(context.deadline).toBe(clock.now() + 10_000);
      expect(context.timeLeft).toBeGreaterThan(0);
      expect(context.timeLeft).toBeLessThanOrEqual(10_000);
    }
    expect(peer.seen).toHaveLength(3);
  });
});

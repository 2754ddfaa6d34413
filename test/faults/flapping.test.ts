import { afterAll, beforeAll, expect, test } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import type { EngineTransport } from "../../src/core/engine/transport.ts";
import { AdminError } from "../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { type EngineBus, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { liveHeap } from "../support/heap.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";

const FLAPS = 500;
const WARM_UP = 100;
const READERS = 16;

/** Statuses that a reader may get while the engine comes and goes, and a writer besides. */
const READ_STATUSES = [200, 503];
const WRITE_STATUSES = [...READ_STATUSES, 504];

const chief = principal("chief", PERMISSIONS);

function statusOf(error: unknown): number {
  if (error instanceof AdminError) return error.status;
  throw error;
}

/** Readers and a writer that continue until they are told to stop; `reads` and `writes` count what they got. */
class Load {
  readonly reads = new Map<number, number>();
  readonly writes = new Map<number, number>();
  wrongAnswers = 0;
  readonly #api: AdminApi;
  #going = true;
  readonly #callers: Promise<void>[];

  constructor(api: AdminApi) {
    this.#api = api;
    const readers = Array.from({ length: READERS }, (_, reader) => this.#loop((turn) => this.#read(reader, turn)));
    this.#callers = [...readers, this.#loop(() => this.#write())];
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#callers);
  }

  async #loop(run: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; this.#going; turn += 1) {
      await run(turn);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #read(reader: number, turn: number): Promise<void> {
    const projectionPath = `Account[A${reader}-${turn}]`;
    try {
      const status = await this.#api.as(chief).getTradingStatus({ projectionPath });
      if (status.projectionPath !== projectionPath) this.wrongAnswers += 1;
      count(this.reads, 200);
    } catch (error) {
      count(this.reads, statusOf(error));
    }
  }

  async #write(): Promise<void> {
    try {
      await this.#api.as(chief).haltTrading({ projectionPath: "Account[GOLD]" });
      count(this.writes, 200);
    } catch (error) {
      count(this.writes, statusOf(error));
    }
  }
}

function count(counts: Map<number, number>, status: number): void {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}

/** A bus on which engines come and go, and the gateway's way to it. */
interface Flapping {
  readonly transport: EngineTransport;
  comeUp(): Promise<EngineBus & { close(): Promise<void> }>;
}

const WIRES: Readonly<Record<string, () => Promise<Flapping>>> = {
  websocket: async () => {
    const first = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
    await first.close();
    const port = Number(new URL(first.url).port);
    return {
      transport: new WebSocketTransport({ url: first.url, reconnect: { initialMs: 1, maxMs: 4 } }),
      comeUp: () => openWebSocketBus({ host: "127.0.0.1", port }),
    };
  },
  nats: async () => ({
    transport: new NatsTransport({ servers: natsServer.url }),
    comeUp: () => openNatsBus({ servers: natsServer.url }),
  }),
};

let natsServer: NatsServer;

beforeAll(async () => {
  natsServer = await startNatsServer();
});

afterAll(() => natsServer.stop());

test.each(Object.entries(WIRES))(
  "an engine that comes and goes 500 times under load over %s: answers or 503, never a wrong reply, nothing left behind",
  { timeout: 180_000 },
  async (_wire, open) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const engine = new SimulatedEngine(await loadInstallation(sampleInstallation()));
    const { transport, comeUp } = await open();
    const api = new AdminApi({ transport, audit: { write() {} } });
    await api.start();
    let bus = await comeUp();
    await serveEngine(engine, bus);
    await until(() => transport.state === "up", "the link is up");
    const load = new Load(api);
    let warm = 0;
    for (let flap = 0; flap < FLAPS; flap += 1) {
      if (flap === WARM_UP) warm = liveHeap();
      await bus.close();
      bus = await comeUp();
      await serveEngine(engine, bus);
      await until(() => transport.state === "up", "the link is up");
    }
    const grown = liveHeap() / warm;
    await load.stop();
    await api.close();
    await bus.close();
    process.off("unhandledRejection", note);

    expect(unhandled).toEqual([]);
    expect(load.wrongAnswers).toBe(0);
    expect([...load.reads.keys()].filter((status) => !READ_STATUSES.includes(status))).toEqual([]);
    expect([...load.writes.keys()].filter((status) => !WRITE_STATUSES.includes(status))).toEqual([]);
    expect(load.reads.get(200)).toBeGreaterThan(FLAPS);
    expect(load.reads.get(503)).toBeGreaterThan(0);
    expect(grown).toBeLessThan(1.25);
  },
);

import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { serveEngine } from "../../../src/engine/serve.ts";
import { SimulatedEngine } from "../../../src/engine/simulated/simulated-engine.ts";
import { openWebSocketBus, type WebSocketTransport } from "../../../transports/websocket.ts";
import { ask, dial } from "../../examples/python-engine-gateway.ts";
import { FixClient, limitOrder } from "../../support/fix-client.ts";
import { until } from "../../support/until.ts";
import { installation } from "../fixture.ts";
import { GATEWAYS } from "./fixture.ts";

const SESSIONS = ["FIXCLIENT1", "FIXCLIENT2", "LEGACY"] as const;

/** One every 5 ms, the sessions taking turns. */
const ORDERS_PER_SECOND = 200;
const ORDERS_IN_A_ROUND = 40;
const ROUNDS = 10;

/** What happened in the engine, in this order. */
type Happening = "halted" | "resumed" | "accepted" | "refused" | "filled";

interface Market {
  readonly happened: readonly Happening[];
  readonly port: number;
  readonly link: WebSocketTransport;
}

/** A simulated engine by the machine's clock, on a WebSocket, that fills each order as soon as it is in the market. */
async function openMarket(): Promise<Market> {
  const happened: Happening[] = [];
  const engine: SimulatedEngine = new SimulatedEngine(installation(GATEWAYS), {
    onOrderEvent: (event) => {
      if (event.kind !== "accepted" && event.kind !== "refused" && event.kind !== "filled") return;
      happened.push(event.kind);
      if (event.kind === "accepted") setImmediate(() => engine.fillOrder(event.order.id, event.order.size, "100"));
    },
  });
  engine.enableFixSession({ gateway: "OE1", session: "LEGACY" });
  const [oe1] = await engine.openFixPorts();
  const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
  await serveEngine(noting(engine, happened), bus);
  const link = await dial({ url: bus.url });
  onTestFinished(async () => {
    await link.close();
    await bus.close();
    await engine.closeFixPorts();
  });
  return { happened, port: oe1?.port ?? 0, link };
}

/** Notes when the engine has accepted a halt, and when it has accepted a resume. */
function noting(engine: SimulatedEngine, happened: Happening[]): SimulatedEngine {
  const noted: Partial<SimulatedEngine> = {
    haltTrading: (input) => {
      engine.haltTrading(input);
      happened.push("halted");
      return null;
    },
    resumeTrading: (input) => {
      happened.push("resumed");
      return engine.resumeTrading(input);
    },
  };
  return new Proxy(engine, {
    get: (target, name) => noted[name as "haltTrading"] ?? target[name as "haltTrading"].bind(target),
  });
}

/** Three sessions that order at a steady pace, and what they were told of each order. */
class Desks {
  readonly clients: readonly FixClient[];
  /** ClOrdIDs, as they were sent. */
  readonly sent: string[] = [];

  constructor(clients: readonly FixClient[]) {
    this.clients = clients;
  }

  async order(count: number): Promise<void> {
    const start = performance.now();
    for (let index = 0; index < count; index += 1) {
      const client = this.clients[this.sent.length % this.clients.length];
      const id = `T${this.sent.length}`;
      client?.send("D", limitOrder(id));
      this.sent.push(id);
      await pause(Math.max(0, start + ((index + 1) * 1_000) / ORDERS_PER_SECOND - performance.now()));
    }
  }

  /** The ExecTypes that were reported of each order. */
  reports(): Map<string, string> {
    const reports = new Map<string, string>();
    for (const { 11: id = "", 150: type = "" } of this.clients.flatMap(({ received }) => received))
      reports.set(id, `${reports.get(id) ?? ""}${type}`);
    return reports;
  }

  /** Waits until each order has been filled or refused. */
  async allTold(): Promise<void> {
    const isTold = (): boolean => {
      const reports = this.reports();
      return this.sent.every((id) => /[F8]$/.test(reports.get(id) ?? ""));
    };
    await until(isTold, "each order is filled or refused");
  }
}

async function command(link: WebSocketTransport, method: "haltTrading" | "resumeTrading"): Promise<void> {
  const input = { projectionPath: "", reason: "drill", ...(method === "haltTrading" && { cancelOrders: false }) };
  expect(await ask(link, method, input)).toMatchObject({ ok: true });
}

/** Whatever the engine accepted between a halt and the resume behind it. */
function acceptedWhileHalted(happened: readonly Happening[]): number {
  let [isHalted, accepted] = [false, 0];
  for (const what of happened) {
    if (what === "halted") isHalted = true;
    if (what === "resumed") isHalted = false;
    if (what === "accepted" && isHalted) accepted += 1;
  }
  return accepted;
}

test("D-ENG 37: of 200 orders a second from three sessions none is filled that arrives after the engine has accepted a halt, by what both ends saw", async () => {
  const { happened, port, link } = await openMarket();
  const clients = await Promise.all(SESSIONS.map((name) => FixClient.logOn(port, name)));
  onTestFinished(() => {
    for (const client of clients) client.close();
  });
  const desks = new Desks(clients);
  const sentWhenHalted: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ordering = desks.order(ORDERS_IN_A_ROUND);
    await pause((ORDERS_IN_A_ROUND * 500) / ORDERS_PER_SECOND);
    await command(link, "haltTrading");
    const before = desks.sent.length;
    await ordering;
    await desks.allTold();
    sentWhenHalted.push(...desks.sent.slice(before));
    await command(link, "resumeTrading");
  }
  const reports = desks.reports();
  expect(acceptedWhileHalted(happened)).toBe(0);
  expect(sentWhenHalted.filter((id) => reports.get(id) !== "8")).toEqual([]);
  const ends = [...reports.values()].filter((types) => types !== "");
  const filled = ends.filter((types) => types === "0F").length;
  const refused = ends.filter((types) => types === "8").length;
  expect([filled, refused]).toEqual(
    ["filled", "refused"].map((kind) => happened.filter((what) => what === kind).length),
  );
  expect(filled + refused).toBe(ROUNDS * ORDERS_IN_A_ROUND);
  expect(Math.min(filled, refused, sentWhenHalted.length)).toBeGreaterThan(0);
});

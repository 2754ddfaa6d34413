import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { systemClock } from "../../src/core/clock.ts";
import { AdminError } from "../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { type EngineBus, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { MemoryAudit } from "../../src/testing/rig.ts";
import { EngineClock } from "../../transports/link/engine-clock.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { startNatsCluster } from "../support/nats-cluster.ts";
import { startNatsServer } from "../support/nats-server.ts";
import { freePort } from "../support/ports.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";
import { Opened } from "../transports/support/link.ts";

const CHIEF = principal("chief", PERMISSIONS);
/** Between two commands: what is closer than gateways know the engine's clock counts as concurrent. */
const BETWEEN_MS = 100;

const opened = new Opened();

afterEach(() => opened.close());

/** An engine behind a server, and what has come to it. */
async function openEngine(servers: string): Promise<string[]> {
  const received: string[] = [];
  const bus = opened.add(await openNatsBus({ servers, closeTimeoutMs: 0 }), (it) => it.close());
  const noting: EngineBus = {
    listen: (handler) =>
      bus.listen((request) => {
        received.push(request.method);
        return handler(request);
      }),
  };
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), noting);
  return received;
}

interface Gateway {
  readonly api: AdminApi;
  readonly audit: MemoryAudit;
  /** The server that it was connected to last. */
  server(): string | undefined;
  /** Waits until it knows the engine's clock well: on a busy machine replies are slow, and say little of it. */
  knowsClock(): Promise<unknown>;
}

async function openGateway(servers: readonly string[]): Promise<Gateway> {
  const connected: string[] = [];
  const engineClock = new EngineClock(() => {}, systemClock);
  const transport = new NatsTransport({
    servers,
    engineClock,
    onEvent: ({ kind, message }) => kind === "up" && connected.push(/nats:\S+/.exec(message)?.[0] ?? ""),
  });
  const audit = new MemoryAudit();
  const api = opened.add(new AdminApi({ transport, audit }), (it) => it.close());
  await api.start();
  const knowsClock = () =>
    until(async () => {
      await api
        .as(CHIEF)
        .getTradingStatus()
        .catch(() => {});
      return (engineClock.arrival(engineClock.moment())?.arrivedWithin ?? BETWEEN_MS) < BETWEEN_MS / 5;
    }, "the gateway reaches the engine and knows its clock well");
  await knowsClock();
  return { api, audit, server: () => connected.at(-1), knowsClock };
}

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "applied",
    (error: unknown) => (error instanceof AdminError ? error.code : String(error)),
  );
}

async function isHalted({ api }: Gateway): Promise<boolean> {
  return (await api.as(CHIEF).getTradingStatus()).halted;
}

describe("D-ENG 21: while a NATS server or the route between two hangs", () => {
  it("a resume that lies on the way to it does not follow a later halt through the same gateway, which has found another server", async () => {
    const cluster = await startNatsCluster(3, { jetstream: false });
    opened.add(cluster, (it) => it.stop());
    const ways = await Promise.all(cluster.nodes.slice(0, 2).map(({ port }) => startTcpProxy(port)));
    for (const way of ways) opened.add(way, (it) => it.close());
    const received = await openEngine(cluster.nodes[2]?.url ?? "");
    const gateway = await openGateway(ways.map(({ port }) => `nats://127.0.0.1:${port}`));
    const used = gateway.server();
    const way = ways.find(({ port }) => used?.endsWith(`:${port}`));
    way?.stall(true);
    const resuming = codeOf(gateway.api.as(CHIEF).resumeTrading({ reason: "stuck" }));
    await until(() => gateway.server() !== used && gateway.api.linkState === "up", "another server is found");
    await gateway.api.as(CHIEF).haltTrading({ reason: "after the resume" });
    expect(received).not.toContain("resumeTrading");
    way?.stall(false);
    await until(() => received.includes("resumeTrading"), "the resume has come to the engine");
    expect(await resuming).toBe("STOP_CAME_FIRST");
    await expect.poll(() => isHalted(gateway)).toBe(true);
  });

  it("a resume on its way over the route does not follow a later halt at another gateway; an old halt is history after an all clear", async () => {
    const [clusterPort, otherPort] = [await freePort(), await freePort()];
    const route = opened.add(await startTcpProxy(clusterPort), (it) => it.close());
    const near = await startNatsServer({
      configuration: `cluster { name: test, listen: "127.0.0.1:${clusterPort}", no_advertise: true }`,
    });
    opened.add(near, (it) => it.stop());
    const far = await startNatsServer({
      configuration: `cluster { name: test, listen: "127.0.0.1:${otherPort}", no_advertise: true, routes: ["nats-route://127.0.0.1:${route.port}"] }`,
    });
    opened.add(far, (it) => it.stop());
    const received = await openEngine(near.url);
    const [a, b] = [await openGateway([far.url]), await openGateway([near.url])];

    route.stall(true);
    const resuming = codeOf(a.api.as(CHIEF).resumeTrading({ reason: "stuck" }));
    await until(() => a.audit.stages.includes("intent"), "the resume is sent");
    await pause(BETWEEN_MS);
    await b.api.as(CHIEF).haltTrading({ reason: "after the resume" });
    expect(received).not.toContain("resumeTrading");
    route.stall(false);
    expect(await resuming).toBe("STOP_CAME_FIRST");
    await expect.poll(() => isHalted(b)).toBe(true);

    for (const gateway of [a, b]) await gateway.knowsClock();
    route.stall(true);
    const halting = codeOf(a.api.as(CHIEF).haltTrading({ reason: "late" }));
    await until(() => a.audit.stages.length > 2, "the halt is sent");
    await pause(BETWEEN_MS);
    await b.api.as(CHIEF).resumeTrading({ reason: "all clear" });
    await expect.poll(() => isHalted(b)).toBe(false);
    route.stall(false);
    expect(await halting).toBe("REJECTED");
    expect(await isHalted(b)).toBe(false);
  });
});

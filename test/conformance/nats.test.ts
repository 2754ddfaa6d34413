import { afterAll, beforeAll, describe, it } from "vitest";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { engineConformance, transportConformance } from "../../src/testing/conformance/kits.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-bench.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { ALL, passes } from "./passes.ts";
import { openProxied } from "./proxied-fixture.ts";
import { openSimulatedEngine } from "./simulated-engine-fixture.ts";

let server: NatsServer;
let fixtures = 0;

// The first run on a machine may have to fetch the server.
beforeAll(async () => {
  server = await startNatsServer();
}, 180_000);

afterAll(async () => {
  await server?.stop();
});

/** Subjects of their own on one server; the proxy stands between the gateway's end and the server. */
async function open(): Promise<TransportFixture> {
  fixtures += 1;
  const subjectPrefix = `conformance-${fixtures}`;
  const bus = await openNatsBus({ servers: server.url, subjectPrefix, closeTimeoutMs: 0 });
  return openProxied(
    bus,
    server.port,
    (port) => new NatsTransport({ servers: `nats://127.0.0.1:${port}`, subjectPrefix }),
  );
}

describe("the NATS transport passes the conformance kit for transports", () => {
  for (const { name, run } of transportConformance(open, { repliesSurviveLoss: true })) it(name, run, 60_000);
});

describe("the simulated engine passes the conformance kit for engines over NATS", () => {
  const cases = engineConformance(async () => openSimulatedEngine(await open()), DEMO_LANDMARKS, ALL);
  for (const one of cases) it(one.name, () => passes(one), 60_000);
});

import { describe, it } from "vitest";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { engineConformance, transportConformance } from "../../src/testing/conformance/kits.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-bench.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { ALL, passes } from "./passes.ts";
import { openProxied } from "./proxied-fixture.ts";
import { openSimulatedEngine } from "./simulated-engine-fixture.ts";

/** The two ends of a WebSocket with a proxy between them that can break the connection. */
async function open(): Promise<TransportFixture> {
  const token = "token-of-the-test";
  const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0, token });
  const reconnect = { initialMs: 5, maxMs: 50 };
  return openProxied(
    bus,
    Number(new URL(bus.url).port),
    (port) => new WebSocketTransport({ url: `ws://127.0.0.1:${port}`, token, reconnect }),
    // A frame of text that fits in seven bits (RFC 6455 section 5.2).
    (text) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]),
  );
}

describe("the WebSocket transport passes the conformance kit for transports", () => {
  for (const one of transportConformance(open)) it(one.name, () => passes(one), 60_000);
});

describe("the simulated engine passes the conformance kit for engines over WebSocket", () => {
  const cases = engineConformance(async () => openSimulatedEngine(await open()), DEMO_LANDMARKS, ALL);
  for (const one of cases) it(one.name, () => passes(one), 60_000);
});

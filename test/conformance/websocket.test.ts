import { describe, it } from "vitest";
import type { TransportFixture } from "../../src/testing/conformance/transport-fixture.ts";
import { transportConformance } from "../../src/testing/conformance/transport-kit.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** The two ends of a WebSocket with a proxy between them that can break the connection. */
async function open(): Promise<TransportFixture> {
  const token = "token-of-the-test";
  const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0, token });
  const proxy = await startTcpProxy(Number(new URL(bus.url).port));
  const url = `ws://127.0.0.1:${proxy.port}`;
  const transport = new WebSocketTransport({ url, token, reconnect: { initialMs: 5, maxMs: 50 } });
  return {
    transport,
    bus,
    cutLink: async () => {
      proxy.refuse();
      proxy.destroyAll();
    },
    restoreLink: async () => proxy.accept(),
    close: async () => {
      await transport.close();
      await bus.close();
      await proxy.close();
    },
  };
}

describe("issue 3, item 5: the WebSocket transport passes the conformance kit for transports", () => {
  for (const { name, run } of transportConformance(open)) it(name, run, 60_000);
});

import type { EngineTransport } from "../../src/core/engine/transport.ts";
import type { EngineBus } from "../../src/engine/serve.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-bench.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** Both ends of a transport, the gateway's behind a proxy before the port, which can break the connection and, with `messageOf`, bring messages of its own. */
export async function openProxied(
  bus: EngineBus & { close(): Promise<void> },
  port: number,
  connect: (port: number) => EngineTransport,
  messageOf?: (text: string) => Buffer,
): Promise<TransportFixture> {
  const proxy = await startTcpProxy(port);
  const transport = connect(proxy.port);
  return {
    transport,
    bus,
    cutLink: async () => {
      proxy.refuse();
      proxy.destroyAll();
    },
    restoreLink: async () => proxy.accept(),
    stallLink: () => {
      proxy.stall(true);
      return () => proxy.stall(false);
    },
    ...(messageOf && { strayMessage: async (text: string) => proxy.inject(messageOf(text)) }),
    close: async () => {
      await transport.close();
      await bus.close();
      await proxy.close();
    },
  };
}

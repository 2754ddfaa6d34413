import type { EngineTransport } from "../../src/core/engine/transport.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-bench.ts";
import { InProcessBus, type InProcessBusOptions } from "../../transports/in-process.ts";

/** Both ends are one object; a broken link is an engine that is detached. */
export async function openInProcess(
  limits: InProcessBusOptions = {},
  wrap: (bus: InProcessBus) => EngineTransport = (bus) => bus,
): Promise<TransportFixture> {
  const bus = new InProcessBus(limits);
  let handler: EngineHandler | undefined;
  let broken = false;
  return {
    transport: wrap(bus),
    bus: {
      listen: (given) => {
        handler = given;
        if (!broken) bus.listen(given);
      },
    },
    cutLink: async () => {
      broken = true;
      bus.detach();
    },
    restoreLink: async () => {
      broken = false;
      if (handler) bus.listen(handler);
    },
    close: () => bus.close(),
  };
}

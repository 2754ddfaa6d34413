import type { EngineTransport } from "../../src/core/engine/transport.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-bench.ts";
import { InProcessBus, type InProcessBusOptions } from "../../transports/in-process.ts";

/** Both ends are one object; a broken link is an engine that is detached. */
export async function openInProcess(
  limits: InProcessBusOptions = {},
  wrap: (bus: InProcessBus) => EngineTransport & { stray?(text: string): void } = (bus) => bus,
): Promise<TransportFixture> {
  const bus = new InProcessBus(limits);
  const transport = wrap(bus);
  let handler: EngineHandler | undefined;
  let broken = false;
  let stalled: Promise<void> | undefined;
  return {
    transport,
    bus: {
      listen: (given) => {
        handler = async (request) => {
          if (stalled) await stalled;
          const reply = await given(request);
          await stalled;
          return reply;
        };
        if (!broken) bus.listen(handler);
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
    stallLink: () => {
      let resume = (): void => {};
      stalled = new Promise((resolve) => {
        resume = resolve;
      });
      return () => {
        stalled = undefined;
        resume();
      };
    },
    ...(transport.stray && { strayMessage: async (text: string) => transport.stray?.(text) }),
    close: () => bus.close(),
  };
}

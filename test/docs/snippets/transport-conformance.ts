import type { EngineBus } from "trading-admin-api/engine";
import type { EngineTransport } from "trading-admin-api/extend";
import { type TransportFixture, transportConformance } from "trading-admin-api/testing";

/** What the author of a transport has. */
interface Parts {
  readonly openMyBus: () => Promise<EngineBus & { readonly port: number; close(): Promise<void> }>;
  readonly startTcpProxy: (port: number) => Promise<Proxy>;
  readonly MyTransport: new (options: { port: number }) => EngineTransport;
}

interface Proxy {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** The cases for your own transport. */
export function casesFor({ openMyBus, startTcpProxy, MyTransport }: Parts): ReturnType<typeof transportConformance> {
  // #region transport
  async function open(): Promise<TransportFixture> {
    const bus = await openMyBus();
    const proxy = await startTcpProxy(bus.port); // anything that can cut connections
    return {
      transport: new MyTransport({ port: proxy.port }), // new: the kit starts it
      bus, // ready for listen
      cutLink: async () => proxy.cut(), // abruptly, and stays cut; the engine's end stays there
      restoreLink: async () => proxy.mend(),
      close: async () => {
        await proxy.close();
        await bus.close(); // may come after transport.close(), and with the link cut
      },
    };
  }

  const cases = transportConformance(open, { repliesSurviveLoss: false });
  // #endregion
  return cases;
}

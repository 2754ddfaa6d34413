import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";

/** A TCP proxy between gateway and engine that can break what it carries. */
export interface Proxy {
  readonly url: string;
  /** Chunks that have come from gateways so far, and how many bytes they held. */
  readonly chunks: readonly number[];
  /** Carries nothing more on the connections that are open, without closing them. */
  freeze(): void;
  /** Breaks the connections that are open. */
  cut(): void;
  close(): Promise<void>;
}

/** Opens a proxy to the engine at a URL. */
export async function openProxy(target: string): Promise<Proxy> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  const gateways = new Set<Socket>();
  const chunks: number[] = [];
  const server = createServer((gateway) => {
    const engine = connect({ host: "127.0.0.1", port, noDelay: true });
    gateway.setNoDelay(true);
    for (const socket of [gateway, engine]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    }
    gateways.add(gateway);
    gateway.once("close", () => gateways.delete(gateway));
    gateway.on("data", (chunk: Buffer) => chunks.push(chunk.length));
    pipeline(gateway, engine, () => engine.destroy());
    pipeline(engine, gateway, () => gateway.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chunks,
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners("data");
        socket.pause();
      }
    },
    cut: () => {
      for (const gateway of gateways) gateway.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

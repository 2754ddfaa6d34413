import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy on the loopback address that can break what it carries. */
export interface TcpProxy {
  readonly port: number;
  /** How many bytes came from clients, chunk by chunk. */
  readonly chunks: readonly number[];
  /** Ends new connections immediately. */
  refuse(): void;
  /** Takes new connections again. */
  accept(): void;
  /** Carries nothing any more on the connections that are open, without ending them; `false` lets it flow again. */
  stall(on: boolean): void;
  /** Sends bytes to the clients, as if the target had. */
  inject(bytes: Buffer): void;
  /** Breaks the connections that are open, as a network does. */
  destroyAll(): void;
  close(): Promise<void>;
}

/** Opens a proxy to a port of the loopback address. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const chunks: number[] = [];
  let refusing = false;
  const track = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("data", (chunk) => other.write(chunk));
    // What was cut is the point of the proxy.
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      // What has come in still goes out.
      other.destroySoon();
    });
  };
  const server = createServer((client) => {
    if (refusing) return void client.destroy();
    const target = connect(targetPort, "127.0.0.1");
    client.on("data", (chunk: Buffer) => chunks.push(chunk.length));
    clients.add(client);
    client.once("close", () => clients.delete(client));
    track(client, target);
    track(target, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const destroyAll = (): void => {
    for (const socket of sockets) {
      // Node 20 leaks the handle of a socket that is reset while it ends.
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    chunks,
    refuse: () => {
      refusing = true;
    },
    accept: () => {
      refusing = false;
    },
    stall: (on) => {
      for (const socket of sockets) {
        if (on) socket.pause();
        else socket.resume();
      }
    },
    inject: (bytes) => {
      for (const client of clients) client.write(bytes);
    },
    destroyAll,
    close: async () => {
      destroyAll();
      server.close();
      await once(server, "close");
    },
  };
}

import { connect, type NatsConnection } from "@nats-io/transport-node";
import WebSocket from "ws";
import type { EngineRequest, EngineTransport } from "../../src/core/engine/transport.ts";
import { NatsTransport } from "../../transports/nats.ts";
import { WebSocketTransport } from "../../transports/websocket.ts";

/** The gateway's end of a link under measurement. */
export interface Link {
  /** One round trip. */
  ask(): Promise<unknown>;
  close(): Promise<void>;
}

const STATUS: Omit<EngineRequest, "lane"> = {
  method: "getTradingStatus",
  input: { projectionPath: "" },
  context: { user: "bench", requestId: "0123456789abcdef12-1234567", deadline: Date.now() + 3_600_000 },
};

const REQUEST: EngineRequest = { ...STATUS, lane: "read" };

async function overTransport(transport: EngineTransport): Promise<Link> {
  await transport.start();
  while (transport.state !== "up") await new Promise((resolve) => setTimeout(resolve, 5));
  return { ask: async () => transport.exchange(REQUEST).reply, close: () => transport.close() };
}

/** The least that carries the same messages: a map of promises by id over `ws`. */
async function overBareWebSocket(url: string): Promise<Link> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once("open", resolve));
  const pending = new Map<number, (result: unknown) => void>();
  let id = 0;
  socket.on("message", (data) => {
    const message = JSON.parse(data.toString()) as { id: number; result: unknown };
    pending.get(message.id)?.(message.result);
    pending.delete(message.id);
  });
  const ask = (): Promise<unknown> =>
    new Promise((resolve) => {
      id += 1;
      pending.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: STATUS.method, params: STATUS }));
    });
  return { ask, close: async () => socket.terminate() };
}

/** The client's own request and reply. */
async function overBareNats(url: string): Promise<Link> {
  const connection: NatsConnection = await connect({ servers: url });
  const ask = async (): Promise<unknown> =>
    (await connection.request("bare.status", JSON.stringify(STATUS), { timeout: 60_000 })).json();
  return { ask, close: () => connection.close() };
}

/** How each variant is reached, by its name. */
export const LINKS: Readonly<Record<string, (url: string) => Promise<Link>>> = {
  "bare websocket": overBareWebSocket,
  websocket: (url) => overTransport(new WebSocketTransport({ url })),
  "bare nats": overBareNats,
  nats: (url) => overTransport(new NatsTransport({ servers: url })),
};

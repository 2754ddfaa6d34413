import { type WebSocket, WebSocketServer } from "ws";
import type { EngineRequest } from "../../../src/core/engine/transport.ts";
import { decodeParams, readRequest } from "../../../transports/json-rpc/requests.ts";
import { WebSocketTransport } from "../../../transports/websocket.ts";
import { knownEngineClock } from "../../support/engine-clock.ts";
import { freePort } from "../../support/ports.ts";
import { until } from "../../support/until.ts";
import type { Behaviour, Peer } from "./peer.ts";

/** Opens a WebSocket whose engine's end is scripted. */
export async function openWebSocketPeer(): Promise<Peer> {
  const seen: EngineRequest[] = [];
  let behaviour: Behaviour = () => {};
  const serve = (socket: WebSocket): void => {
    socket.on("message", (data) => {
      const { id, method, params } = readRequest(JSON.parse(data.toString()));
      const request = decodeParams(method, params);
      seen.push(request);
      behaviour({
        request,
        answer: (body) => socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...body })),
        garbage: () => socket.send(`{"jsonrpc":"2.0","id":${id},"result":{"na`),
      });
    });
  };
  const listen = async (port: number): Promise<WebSocketServer> => {
    const server = new WebSocketServer({ host: "127.0.0.1", port });
    server.on("connection", serve);
    await new Promise((resolve) => server.once("listening", resolve));
    return server;
  };
  const stop = (server: WebSocketServer): Promise<void> => {
    for (const client of server.clients) client.terminate();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  const port = await freePort();
  let server = await listen(port);
  const transport = new WebSocketTransport({
    url: `ws://127.0.0.1:${port}`,
    reconnect: { initialMs: 1, maxMs: 10 },
    engineClock: knownEngineClock(),
  });
  await transport.start();
  await until(() => transport.state === "up", "the link is up");
  const cut = async (): Promise<void> => {
    await stop(server);
    await until(() => transport.state === "down", "the link is down");
  };
  const mend = async (): Promise<void> => {
    server = await listen(port);
    await until(() => transport.state === "up", "the link is up");
  };
  return {
    transport,
    seen,
    behave: (next) => {
      behaviour = next;
    },
    cut,
    mend,
    restart: () => cut().then(mend),
    close: async () => {
      await transport.close();
      await stop(server);
    },
  };
}

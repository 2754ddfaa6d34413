// The engine's end of a link, in its own process: node transport-peer.js VARIANT [NATS_URL]. Tells its parent where it is.
import type { AddressInfo } from "node:net";
import { connect } from "@nats-io/transport-node";
import { WebSocketServer } from "ws";
import { openNatsBus } from "../../transports/nats.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";

const RESULT = { projectionPath: "", halted: false, reason: null };

/** Starts a variant; answers its URL. */
const PEERS: Readonly<Record<string, (natsUrl: string) => Promise<string>>> = {
  "bare websocket": async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    server.on("connection", (socket) =>
      socket.on("message", (data) => {
        const { id } = JSON.parse(data.toString()) as { id: number };
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: RESULT }));
      }),
    );
    await new Promise((resolve) => server.once("listening", resolve));
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  websocket: async () => {
    const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
    await bus.listen(async () => ({ ok: true, result: RESULT }));
    return bus.url;
  },
  "bare nats": async (url) => {
    const connection = await connect({ servers: url });
    connection.subscribe("bare.status", {
      callback: (_error, message) => {
        message.json();
        message.respond(JSON.stringify({ result: RESULT }));
      },
    });
    await connection.flush();
    return url;
  },
  nats: async (url) => {
    const bus = await openNatsBus({ servers: url });
    await bus.listen(async ({ method }) => ({ ok: true, result: method === "getTradingStatus" ? RESULT : null }));
    return url;
  },
};

const [, , variant = "", natsUrl = ""] = process.argv;
process.send?.(await PEERS[variant]?.(natsUrl));
process.once("disconnect", () => process.exit(0));

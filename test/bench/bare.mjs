import { once } from "node:events";
import WebSocket from "ws";

const ASKED = {
  input: { projectionPath: "" },
  context: { user: "bench", requestId: "0123456789abcdef12-1234567", deadline: Date.now() + 3_600_000 },
};

/** Asks the engine at a URL for the state of trading with the least that does so: a map of promises by id over `ws`. */
export async function bareStatus(engineUrl) {
  const socket = new WebSocket(engineUrl, "trading-admin.v1", { perMessageDeflate: false });
  await once(socket, "open");
  const pending = new Map();
  let lastId = 0;
  socket.on("message", (data) => {
    const { id, result } = JSON.parse(data.toString());
    pending.get(id)?.(result);
    pending.delete(id);
  });
  return () =>
    new Promise((resolve) => {
      lastId += 1;
      pending.set(lastId, resolve);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "getTradingStatus", params: ASKED }));
    });
}

/** The same bytes as the API, with nothing but the engine behind them. */
export async function bareHandler(engineUrl) {
  const status = await bareStatus(engineUrl);
  return async (_request, response) => {
    const body = JSON.stringify(await status());
    response.writeHead(200, {
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": "00000000-0000-4000-8000-000000000000",
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
  };
}

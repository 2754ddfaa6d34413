import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { CONTRACT_NAME, ENGINE_STATUS } from "../../transports/json-rpc/contract.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { until } from "../support/until.ts";
import { recordExchanges } from "./bus-recording.ts";
import { committedValidator, faultsOf } from "./bus-validators.ts";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A gateway's end that this project did not write. */
async function foreignGateway(url: string): Promise<{ socket: WebSocket; next: () => Promise<unknown> }> {
  const socket = new WebSocket(url, [CONTRACT_NAME], { perMessageDeflate: false });
  cleanUps.push(() => socket.terminate());
  await once(socket, "open");
  return {
    socket,
    next: async () => {
      const [data] = (await once(socket, "message")) as [Buffer];
      return JSON.parse(data.toString());
    },
  };
}

describe("D-PKG 6: what our ends send over WebSocket is valid by the published schemas", () => {
  it("from the engine's end: replies, errors and engine.status", async () => {
    const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
    cleanUps.push(() => bus.close());
    await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), bus);
    const { socket, next } = await foreignGateway(bus.url);
    const reply = committedValidator("reply");
    const [exchange] = await recordExchanges();
    const inTime = exchange?.request ?? "";
    const late = inTime.replace('"timeLeft":10000', '"timeLeft":0');
    // The others are not requests at all.
    for (const message of [inTime, late, "{", '{"jsonrpc":"2.0","id":1,"method":"stop","params":{}}']) {
      const answer = next();
      socket.send(message);
      expect(faultsOf(reply, await answer)).toEqual([]);
    }
    const status = next();
    bus.setOverloaded(true);
    expect(faultsOf(committedValidator(ENGINE_STATUS), await status)).toEqual([]);
  });

  it("from the gateway's end: requests with and without traceparent and the time left", async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => CONTRACT_NAME });
    cleanUps.push(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const transport = new WebSocketTransport({ url: `ws://127.0.0.1:${port}` });
    cleanUps.push(() => transport.close());
    const connected = once(server, "connection") as Promise<[WebSocket]>;
    await transport.start();
    const [engine] = await connected;
    await until(() => transport.state === "up", "the link is up");
    const context = { user: "operator", requestId: "r-1", deadline: Date.now() + 10_000 };
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (const more of [{}, { traceparent, timeLeft: 10_000 }]) {
      const request = once(engine, "message") as Promise<[Buffer]>;
      const exchange = transport.exchange({
        method: "getService",
        input: { name: "TWAP" },
        lane: "read",
        context: { ...context, ...more },
      });
      const [data] = await request;
      expect(faultsOf(committedValidator("request"), JSON.parse(data.toString()))).toEqual([]);
      engine.send(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(data.toString()).id, result: null }));
      expect(await exchange.reply).toEqual({ ok: true, result: null });
    }
  });
});

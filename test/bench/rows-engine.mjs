// An engine with so many services, over WebSocket, in its own process: node rows-engine.mjs ROWS. Tells its parent its URL.
import { openWebSocketBus } from "trading-admin-api/transports/websocket";

const services = Array.from({ length: Number(process.argv[2]) }, (_, index) => ({
  name: `SERVICE-${index}`,
  type: "Connector",
  system: false,
  dma: true,
  enabled: true,
  status: "Connected",
}));

const RESULTS = {
  listServices: services,
  getTradingStatus: { projectionPath: "", halted: false, reason: null },
  haltTrading: null,
};

const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
await bus.listen(async ({ method }) => ({ ok: true, result: RESULTS[method] }));
process.send(bus.url);
process.once("disconnect", () => process.exit(0));

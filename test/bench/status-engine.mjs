// The demo engine over WebSocket, in its own process: node status-engine.mjs. Tells its parent its URL.
import { loadInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { openWebSocketBus } from "trading-admin-api/transports/websocket";

const INSTALLATION = new URL("../../examples/demo/installation.yaml", import.meta.url).pathname;

const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
await serveEngine(new SimulatedEngine(await loadInstallation(INSTALLATION)), bus);
process.send(bus.url);
process.once("disconnect", () => process.exit(0));

// The API in front of a Fastify application.
//
//   npm install trading-admin-api fastify
//   node fastify.mjs
//   curl -u alice:wonderland http://127.0.0.1:8988/api/admin/v1/trading/status
//
// PORT chooses the port.
import { once } from "node:events";
import { createServer } from "node:http";
import Fastify from "fastify";
import { AdminApi, principal } from "trading-admin-api";
import { basicAuthenticator } from "trading-admin-api/auth";
import { parseInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { InProcessBus } from "trading-admin-api/transports/in-process";

const bus = new InProcessBus();
await serveEngine(new SimulatedEngine(parseInstallation("connectors: { SIM: {} }", "fastify.mjs")), bus);
const api = new AdminApi({ transport: bus, audit: { write: (record) => console.log(JSON.stringify(record)) } });
await api.start();

const authenticator = basicAuthenticator({
  realm: "monitor",
  verify: (name, password) =>
    name === "alice" && password === "wonderland" ? principal("alice", ["HALT_RESUME_TRADING"]) : undefined,
});

// Fastify gets every request that is not the API's.
const app = Fastify({
  serverFactory: (next) => guardServer(createServer(adminHandler(api, { authenticator, next })), api),
});
app.get("/", async () => ({ monitor: "here" }));
app.addHook("onClose", () => api.close());

const ended = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
console.log(`listening on ${await app.listen({ port: Number(process.env.PORT ?? 8988), host: "127.0.0.1" })}`);
await ended;
await app.close();

// A monitor backend on Express with sessions and compression that embeds the API: its own users, and two people to resume.
//
//   npm install trading-admin-api express express-session compression
//   node express.mjs
//   curl -u alice:wonderland -X POST http://127.0.0.1:8988/api/admin/v1/trading/halt
//
// PORT chooses the port.
import { once } from "node:events";
import { createServer } from "node:http";
import compression from "compression";
import express from "express";
import session from "express-session";
import { AdminApi, principal } from "trading-admin-api";
import { basicAuthenticator } from "trading-admin-api/auth";
import { parseInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { twoPerson } from "trading-admin-api/policy";
import { InProcessBus } from "trading-admin-api/transports/in-process";

// The monitor's own users. A real directory compares hashes, not passwords.
const users = new Map([
  ["alice", { name: "alice", password: "wonderland", permissions: ["HALT_RESUME_TRADING"] }],
  ["bob", { name: "bob", password: "builder", permissions: ["HALT_RESUME_TRADING"] }],
]);

const authenticator = basicAuthenticator({
  realm: "monitor",
  verify: async (name, password) => {
    const user = users.get(name);
    return user?.password === password ? principal(user.name, user.permissions) : undefined;
  },
  known: (name) => users.has(name),
});

// The monitor as it is without the API.
const app = express();
app.use(compression());
app.use(session({ secret: "change me", resave: false, saveUninitialized: true }));
app.use(express.json());
app.get("/", (request, response) => {
  request.session.visits = (request.session.visits ?? 0) + 1;
  response.json({ visits: request.session.visits });
});

const bus = new InProcessBus();
await serveEngine(new SimulatedEngine(parseInstallation("connectors: { SIM: {} }", "express.mjs")), bus);
const api = new AdminApi({
  transport: bus,
  audit: { write: (record) => console.log(JSON.stringify(record)) },
  log: console,
  authorize: twoPerson({ operations: ["resumeTrading"], withinMs: 5 * 60_000 }),
});
await api.start();

// The API stands in front of sessions and parsers: it has neither, and is not slowed by them.
const server = guardServer(createServer(adminHandler(api, { authenticator, next: app })), api);
server.listen(Number(process.env.PORT ?? 8988), "127.0.0.1");
await once(server, "listening");
const ended = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
console.log(`listening on http://127.0.0.1:${server.address().port}`);

await ended;
server.close();
await once(server, "close");
await api.close();

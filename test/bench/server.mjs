// One server under load, in its own process: node server.mjs VARIANT ENGINE_URL. Tells its parent where it listens.
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import express from "express";
import { AdminApi, systemClock } from "trading-admin-api";
import { adminMiddleware } from "trading-admin-api/express";
import { Gate } from "trading-admin-api/extend";
import { adminHandler } from "trading-admin-api/node";
import { WebSocketTransport } from "trading-admin-api/transports/websocket";
import { openAuthenticator } from "./authenticator.mjs";
import { bareHandler } from "./bare.mjs";

const [, , variant, engineUrl] = process.argv;

async function adminApi() {
  const gate = new Gate(systemClock);
  const transport = new WebSocketTransport({ url: engineUrl, gate });
  const api = new AdminApi({ transport, audit: { write() {} }, gate });
  await api.start();
  while (transport.state !== "up") await pause(5);
  // As metrics would listen.
  const calls = new Map();
  api.on("call", ({ operation }) => calls.set(operation, (calls.get(operation) ?? 0) + 1));
  return api;
}

const VARIANTS = {
  bare: () => bareHandler(engineUrl),
  handler: async () => adminHandler(await adminApi(), { authenticator: await openAuthenticator() }),
  "bare express": async () => express().get("/api/admin/v1/trading/status", await bareHandler(engineUrl)),
  "in express": async () =>
    express().use(...adminMiddleware(await adminApi(), { authenticator: await openAuthenticator() })),
  "before express": async () =>
    adminHandler(await adminApi(), { authenticator: await openAuthenticator(), next: express() }),
};

const server = createServer(await VARIANTS[variant]());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.once("disconnect", () => process.exit(0));

// One server under load, in a process of its own: node server.mjs VARIANT. Tells its parent where it listens.
import { createServer } from "node:http";
import express from "express";
import { AdminApi } from "trading-admin-api";
import { loadInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminMiddleware } from "trading-admin-api/express";
import { adminHandler } from "trading-admin-api/node";
import { InProcessBus } from "trading-admin-api/transports/in-process";
import { openAuthenticator } from "./authenticator.mjs";
import { bare } from "./bare.mjs";

async function adminApi() {
  const bus = new InProcessBus();
  const installation = await loadInstallation(
    new URL("../../examples/demo/installation.yaml", import.meta.url).pathname,
  );
  await serveEngine(new SimulatedEngine(installation), bus);
  const api = new AdminApi({ transport: bus, audit: { write() {} } });
  // As metrics would listen.
  const calls = new Map();
  api.on("call", ({ operation }) => calls.set(operation, (calls.get(operation) ?? 0) + 1));
  return api;
}

const VARIANTS = {
  bare: async () => bare,
  handler: async () => adminHandler(await adminApi(), { authenticator: await openAuthenticator() }),
  "bare express": async () => express().get("/api/admin/v1/trading/status", bare),
  "in express": async () =>
    express().use(...adminMiddleware(await adminApi(), { authenticator: await openAuthenticator() })),
  "before express": async () =>
    adminHandler(await adminApi(), { authenticator: await openAuthenticator(), next: express() }),
};

const server = createServer(await VARIANTS[process.argv[2]]());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.once("disconnect", () => process.exit(0));

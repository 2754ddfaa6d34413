// One server under load, in its own process: node gateway-server.mjs VARIANT ENGINE_URL. Tells its parent where it listens. Logs
// go to files, as with a service manager.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import basicAuth from "@fastify/basic-auth";
import fastify from "fastify";
import { writeAccessFiles } from "./authenticator.mjs";
import { bareHandler, bareStatus } from "./bare.mjs";
import { PASSWORD, SPRING_BOOT, USER } from "./credentials.mjs";

const MAIN = new URL("../../dist/cli/main.js", import.meta.url).pathname;
const START_MS = 20_000;

async function startBare(engineUrl) {
  const server = createServer(await bareHandler(engineUrl)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: server.address().port };
}

/** As its documentation shows both plugins. */
async function startFastify(engineUrl) {
  const status = await bareStatus(engineUrl);
  const folder = await mkdtemp(join(tmpdir(), "trading-admin-bench-"));
  const app = fastify({ logger: { level: "info", file: join(folder, "fastify.log") } });
  await app.register(basicAuth, {
    authenticate: { realm: "bench" },
    validate: async (user, password) => {
      if (user !== USER || password !== PASSWORD) throw new Error("wrong credentials");
    },
  });
  app.after(() => {
    app.get("/api/admin/v1/trading/status", { onRequest: app.basicAuth }, async (_request, reply) => {
      reply.header("Cache-Control", "no-store").header("X-Content-Type-Options", "nosniff");
      return status();
    });
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { port: app.server.address().port };
}

/** `trading-admin serve` with access files and an audit file. */
async function startGateway(engineUrl) {
  const folder = await writeAccessFiles();
  const settings = [
    "server.port: 0",
    "admin.engine.transport: websocket",
    `admin.engine.url: ${engineUrl}`,
    `admin.audit.file: ${join(folder, "audit.jsonl")}`,
  ];
  await writeFile(join(folder, "application.yaml"), `${settings.join("\n")}\n`);
  const logFile = join(folder, "gateway.log");
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, [MAIN, "serve", "--config", "application.yaml"], {
    cwd: folder,
    stdio: ["ignore", log, log],
  });
  process.once("exit", () => child.kill());
  return { port: await listening(child, logFile, /http:\/\/[^:\s]+:(\d+)/), pid: child.pid };
}

/** With the access log of its Tomcat. */
async function startSpringBoot() {
  const folder = await mkdtemp(join(tmpdir(), "trading-admin-bench-"));
  const logFile = join(folder, "spring.log");
  const log = openSync(logFile, "a");
  const settings = {
    "server.port": 0,
    "server.address": "127.0.0.1",
    "server.tomcat.accesslog.enabled": true,
    "server.tomcat.basedir": folder,
    "spring.security.user.name": USER,
    "spring.security.user.password": PASSWORD,
  };
  const given = Object.entries(settings).map(([key, value]) => `--${key}=${value}`);
  const child = spawn("java", ["-jar", SPRING_BOOT, ...given], { stdio: ["ignore", log, log] });
  process.once("exit", () => child.kill());
  return { port: await listening(child, logFile, /Tomcat started on port (\d+)/), pid: child.pid };
}

async function listening(child, logFile, address) {
  for (const end = performance.now() + START_MS; performance.now() < end; await pause(50)) {
    const text = await readFile(logFile, "utf8");
    const port = address.exec(text)?.[1];
    if (port) return Number(port);
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${text}`);
  }
  throw new Error("the server does not listen");
}

const VARIANTS = { bare: startBare, fastify: startFastify, gateway: startGateway, "spring boot": startSpringBoot };

const [, , variant, engineUrl] = process.argv;
process.send(await VARIANTS[variant](engineUrl));
process.once("disconnect", () => process.exit(0));

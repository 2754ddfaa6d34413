// A monitor backend on Express 5 that embeds the administrative API.
//
//   node examples/embed-express.ts <folder of the access files> [--mounted]
//
// The folder holds uac-file-security.xml and uac-access-rules.xml; PORT chooses the port. Needs a build of the package and
// Node 22.18 or later; for Node 20 compile it first.
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import express, { type ErrorRequestHandler, type Express } from "express";
import { AdminApi } from "trading-admin-api";
import { type Authenticator, openSimpleAuthentication } from "trading-admin-api/auth";
import { loadInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminMiddleware } from "trading-admin-api/express";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { InProcessBus } from "trading-admin-api/transports/in-process";

/** The monitor's own logger. */
const log = {
  info: (message: string, details: object = {}) => console.log(JSON.stringify({ level: "info", message, ...details })),
  warn: (message: string, details: object = {}) => console.log(JSON.stringify({ level: "warn", message, ...details })),
  error: (message: string, details: object = {}) =>
    console.log(JSON.stringify({ level: "error", message, ...details })),
};

/** The monitor as it was before: its own sessions in cookies, body parser and error page. */
function addMonitor(app: Express): Express {
  const sessions = new Map<string, string>();
  app.use(express.json());
  app.post("/login", (request, response) => {
    const session = randomUUID();
    sessions.set(session, String(request.body.user));
    response.cookie("monitor", session, { httpOnly: true, sameSite: "strict" }).json({ user: request.body.user });
  });
  app.get("/whoami", (request, response) => {
    const [, session = ""] = /(?:^|; )monitor=([^;]+)/.exec(request.headers.cookie ?? "") ?? [];
    response.json({ user: sessions.get(session) ?? null });
  });
  const showError: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(error.status ?? 500).json({ monitorError: error.message });
  };
  return app.use(showError);
}

/** The monitor's live view, a WebSocket: says hello and goodbye. */
function addLiveView(server: Server): void {
  server.on("upgrade", (request, socket) => {
    if (request.url !== "/live") return void socket.destroy();
    const accept = createHash("sha1").update(
      `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
    socket.write(`Sec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`);
    socket.end(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from("hello"), Buffer.from([0x88, 0])]));
  });
}

/** What the monitor adds: an engine in this process, callers from the access files, records in the monitor's log. */
async function openAdminApi(accessFiles: string): Promise<AdminParts> {
  const access = await openSimpleAuthentication({ directory: accessFiles, environment: process.env, log });
  const sample = new URL("examples/demo/installation.yaml", import.meta.resolve("trading-admin-api/package.json"));
  const engine = new SimulatedEngine(await loadInstallation(fileURLToPath(sample)));
  const bus = new InProcessBus();
  await serveEngine(engine, bus);
  const api = new AdminApi({ transport: bus, audit: { write: (record) => log.info("admin", { record }) }, log });
  await api.start();
  engine.start();
  return { api, authenticator: access.authenticator, parts: [access, { close: () => engine.stop() }, api] };
}

interface AdminParts {
  readonly api: AdminApi;
  readonly authenticator: Authenticator;
  /** What has to be closed in the end. */
  readonly parts: readonly { close(): void | Promise<void> }[];
}

/** Recommended: the API stands in front of the app, which gets every request that is not the API's. */
function inFront({ api, authenticator }: AdminParts): Server {
  return guardServer(createServer(adminHandler(api, { authenticator, next: addMonitor(express()) })), api);
}

/**
 * The API as middleware: slower, but it can be mounted below a path. Where a body parser has to come first, give it
 * `{ verify: keepRawBody }`.
 */
function mounted({ api, authenticator }: AdminParts): Server {
  const app = express();
  app.use(...adminMiddleware(api, { authenticator }));
  return guardServer(createServer(addMonitor(app)), api);
}

const [accessFiles = ".", form] = process.argv.slice(2);
const admin = await openAdminApi(accessFiles);
const server = form === "--mounted" ? mounted(admin) : inFront(admin);
addLiveView(server);
server.listen(Number(process.env.PORT ?? 8988), "127.0.0.1");
await once(server, "listening");
log.info("listening", { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.close();
await once(server, "close");
for (const part of admin.parts) await part.close();
log.info("stopped");

// #region imports
import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import compression from "compression";
import express from "express";
import session from "express-session";
import type { AdminApi } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/auth";
import { adminMiddleware, keepRawBody } from "trading-admin-api/express";
import { adminHandler, guardServer } from "trading-admin-api/node";

// #endregion

/** What a host has already. */
interface Host {
  readonly api: AdminApi;
  readonly authenticator: Authenticator;
  readonly secret: string;
  readonly port: number;
}

function monitor(secret: string): express.Express {
  // #region app
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: true }));
  app.use(compression());
  app.use(express.json());
  app.get("/whoami", (request, response) => void response.json({ session: request.session.id }));
  // #endregion
  return app;
}

/** The API in front of the application, which gets every request that is not the API's. */
export function inFront({ api, authenticator, secret, port }: Host): Server {
  const app = monitor(secret);
  // #region in-front
  const server = createServer(adminHandler(api, { authenticator, next: app }));
  guardServer(server, api).listen(port, "127.0.0.1");
  // #endregion
  return server;
}

/** The API as the first middleware of an application. */
export function mounted({ api, authenticator, secret, port }: Host): Server {
  const others = monitor(secret);
  // #region mounted
  const app = express();
  app.use("/monitor", ...adminMiddleware(api, { authenticator })); // before sessions, parsers and compression
  app.use(others);
  const server = guardServer(createServer(app), api).listen(port, "127.0.0.1");
  // #endregion
  return server;
}

/** Tokens of the API for users who are logged in to the host by a session cookie. */
export function tokenRoute(
  app: express.Express,
  tokens: Map<string, string>,
  userOf: (request: express.Request) => string | undefined,
): void {
  // #region token
  app.post("/admin-token", (request, response) => {
    const user = userOf(request); // of your session
    if (user === undefined) return void response.sendStatus(401);
    const token = randomUUID();
    tokens.set(token, user);
    setTimeout(() => tokens.delete(token), 15 * 60_000).unref();
    response.set("Cache-Control", "no-store").json({ token });
  });
  // #endregion
}

/** The API behind a body parser that has to come first. */
export function afterParser({ api, authenticator, port }: Host): Server {
  // #region after-parser
  const app = express();
  app.use(express.json({ verify: keepRawBody }));
  app.use(...adminMiddleware(api, { authenticator }));
  // #endregion
  return guardServer(createServer(app), api).listen(port, "127.0.0.1");
}

// #region imports
import { createServer, type Server } from "node:http";
import type { AdminApi } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/auth";
import { consolePage } from "trading-admin-api/console";
import { adminHandler, guardServer } from "trading-admin-api/node";

// #endregion

// #region console
/** The API with its console, at `/console`. */
export function serveConsole(api: AdminApi, authenticator: Authenticator, port: number): Server {
  const documents = consolePage({ api, name: "LONDON PROD", colour: "crimson" });
  const server = createServer(adminHandler(api, { authenticator, documents }));
  guardServer(server, api).listen(port, "127.0.0.1");
  return server;
}
// #endregion

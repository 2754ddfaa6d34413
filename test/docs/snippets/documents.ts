// #region imports
import { createServer, type Server } from "node:http";
import type { AdminApi } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/auth";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { docsPage, openApiDocuments } from "trading-admin-api/openapi";

// #endregion

// #region documents
/** The API with its document and its interactive page. */
export function serve(api: AdminApi, authenticator: Authenticator, port: number): Server {
  const documents = [...openApiDocuments(api, { security: "basic" }), ...docsPage()];
  const server = createServer(adminHandler(api, { authenticator, documents }));
  guardServer(server, api).listen(port, "127.0.0.1");
  return server;
}
// #endregion

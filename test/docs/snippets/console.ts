// #region imports
import { createServer } from "node:http";
import { AdminApi, type AuditSink } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/auth";
import { consolePage } from "trading-admin-api/console";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { WebSocketTransport } from "trading-admin-api/transports/websocket";

// #endregion

// #region console
export function serveConsole(audit: AuditSink, authenticator: Authenticator): void {
  const transport = new WebSocketTransport({ url: "ws://127.0.0.1:8989" });
  const api = new AdminApi({ transport, audit });
  const handler = adminHandler(api, { authenticator, documents: consolePage({ api }) });
  guardServer(createServer(handler), api).listen(8988);
}
// #endregion

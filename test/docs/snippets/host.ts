// #region imports
import { createServer } from "node:http";
import { AdminApi } from "trading-admin-api";
import { openAuditFile } from "trading-admin-api/audit";
import { openSimpleAuthentication } from "trading-admin-api/auth";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { WebSocketTransport } from "trading-admin-api/transports/websocket";

// #endregion

// #region host
const transport = new WebSocketTransport({ url: "ws://127.0.0.1:8989" });
const audit = await openAuditFile({ path: "audit.jsonl" });
const api = new AdminApi({ transport, audit });
await api.start();
const access = await openSimpleAuthentication({ directory: "config", environment: process.env, log: console });
guardServer(createServer(adminHandler(api, { authenticator: access.authenticator })), api).listen(8988, "127.0.0.1");
// #endregion

// #region requires
const { createServer } = require("node:http");
const { AdminApi } = require("trading-admin-api");
const { openAuditFile } = require("trading-admin-api/audit");
const { openSimpleAuthentication } = require("trading-admin-api/auth");
const { adminHandler, guardServer } = require("trading-admin-api/node");
const { WebSocketTransport } = require("trading-admin-api/transports/websocket");
// #endregion

async function serve(port) {
  const transport = new WebSocketTransport({ url: process.env.ENGINE_URL });
  const api = new AdminApi({ transport, audit: await openAuditFile({ path: "audit.jsonl" }) });
  await api.start();
  const access = await openSimpleAuthentication({ directory: "config", environment: process.env, log: console });
  return guardServer(createServer(adminHandler(api, { authenticator: access.authenticator })), api).listen(
    port,
    "127.0.0.1",
  );
}

module.exports = { serve };

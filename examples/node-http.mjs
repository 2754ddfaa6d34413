// The API on a bare node:http server, with HTTP Basic for people and a token for one service account.
//
//   npm install trading-admin-api
//   ADMIN_TOKEN=s3cret node node-http.mjs
//   curl -H "Authorization: Bearer s3cret" http://127.0.0.1:8988/api/admin/v1/trading/status
//
// PORT chooses the port.
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { AdminApi, principal } from "trading-admin-api";
import { basicAuthenticator, firstOf } from "trading-admin-api/auth";
import { parseInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { InProcessBus } from "trading-admin-api/transports/in-process";

const digest = (text) => createHash("sha256").update(text).digest();

/** Knows one caller by a bearer token. */
function serviceAccount(name, token, permissions) {
  const caller = principal(name, permissions);
  return {
    authenticate(authorization = "") {
      const [, given] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
      if (given === undefined) return { kind: "challenge", challenge: "Bearer" };
      // Digests are equally long, so comparing them tells nothing about the token.
      if (timingSafeEqual(digest(given), digest(token))) return { kind: "principal", principal: caller };
      const presented = { user: null, authentication: "bearer" };
      return { kind: "challenge", challenge: 'Bearer error="invalid_token"', presented };
    },
  };
}

const people = basicAuthenticator({
  realm: "operations",
  verify: (name, password) =>
    name === "alice" && password === "wonderland" ? principal("alice", ["HALT_RESUME_TRADING"]) : undefined,
});
const token = process.env.ADMIN_TOKEN;
const authenticator = token ? firstOf(serviceAccount("night-job", token, ["HALT_RESUME_TRADING"]), people) : people;

const bus = new InProcessBus();
await serveEngine(new SimulatedEngine(parseInstallation("connectors: { SIM: {} }", "node-http.mjs")), bus);
const api = new AdminApi({ transport: bus, audit: { write: (record) => console.log(JSON.stringify(record)) } });
await api.start();

const server = guardServer(createServer(adminHandler(api, { authenticator })), api);
server.listen(Number(process.env.PORT ?? 8988), "127.0.0.1");
await once(server, "listening");
const ended = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
console.log(`listening on http://127.0.0.1:${server.address().port}`);

await ended;
server.close();
await once(server, "close");
await api.close();

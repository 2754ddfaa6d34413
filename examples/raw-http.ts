// A bare node:http server with the administrative API below a path, for one service account.
//
//   ADMIN_TOKEN=... node examples/raw-http.ts
//
// PORT chooses the port. Needs a build of the package and Node 22.18 or later; for Node 20 compile it first.
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AdminApi, type AuditRecord, type Permission, principal } from "trading-admin-api";
import { type Authentication, type Authenticator, closedAuthenticator } from "trading-admin-api/auth";
import { parseInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminHandler, guardServer } from "trading-admin-api/node";
import { InProcessBus } from "trading-admin-api/transports/in-process";

const INSTALLATION = `
connectors:
  SIM: {}
algorithms:
  TWAP: {}
`;

/** Knows one caller, by a bearer token. */
function serviceAccount(name: string, token: string, permissions: readonly Permission[]): Authenticator {
  const caller: Authentication = { kind: "principal", principal: principal(name, permissions) };
  const expected = digest(token);
  return {
    authenticate(authorization) {
      const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
      if (given === undefined) return { kind: "challenge", challenge: 'Bearer realm="ops"' };
      // Digests are equally long, whatever the token: comparing them takes the same time for all of them.
      if (timingSafeEqual(digest(given), expected)) return caller;
      return { kind: "challenge", challenge: 'Bearer realm="ops", error="invalid_token"' };
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const token = process.env.ADMIN_TOKEN;
const authenticator = token
  ? serviceAccount("night-job", token, ["HALT_RESUME_TRADING"])
  : closedAuthenticator("The API is closed: ADMIN_TOKEN is not set");

const bus = new InProcessBus();
await serveEngine(new SimulatedEngine(parseInstallation(INSTALLATION, "raw-http.ts")), bus);
const audit = { write: ({ user, operation, stage }: AuditRecord) => console.log(`${user} ${operation}: ${stage}`) };
const api = new AdminApi({ transport: bus, audit });
await api.start();

const server = createServer(
  adminHandler(api, {
    authenticator,
    basePath: "/ops/trading",
    next: (request, response) => response.end(`${request.method} ${request.url} does not belong to the API\n`),
  }),
);
guardServer(server, api);
server.listen(Number(process.env.PORT ?? 8988), "127.0.0.1");
await once(server, "listening");
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/ops/trading`);

await once(process, "SIGTERM");
// New connections are refused, requests in progress get their responses.
server.close();
await once(server, "close");
await api.close();
console.log("stopped");

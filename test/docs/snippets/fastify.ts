// #region imports
import { createServer } from "node:http";
import { type FastifyInstance, fastify } from "fastify";
import type { AdminApi } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/auth";
import { adminHandler, guardServer } from "trading-admin-api/node";
// #endregion

/** The API in front of a Fastify application, on its server. */
export async function serve(api: AdminApi, authenticator: Authenticator, port: number): Promise<FastifyInstance> {
  // #region fastify
  const app = fastify({
    serverFactory: (handler) => guardServer(createServer(adminHandler(api, { authenticator, next: handler })), api),
  });
  app.get("/whoami", async () => ({ name: "monitor" }));
  await app.listen({ port, host: "127.0.0.1" });
  // #endregion
  return app;
}

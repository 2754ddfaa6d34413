import type { Server } from "node:http";
import type { AdminApi } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/auth";
import { type AdminErrorMiddleware, type AdminMiddleware, adminMiddleware } from "trading-admin-api/express";
import { guardServer } from "trading-admin-api/node";

/** The part of Nest's application that is used, of its Express platform. */
interface NestApplication {
  use(...middleware: (AdminMiddleware | AdminErrorMiddleware)[]): unknown;
  getHttpServer(): Server;
  listen(port: number, host: string): Promise<unknown>;
}

/** The API in a Nest application. */
export async function mounted(
  app: NestApplication,
  api: AdminApi,
  authenticator: Authenticator,
  port: number,
): Promise<void> {
  // #region nest
  app.use(...adminMiddleware(api, { authenticator })); // before listen, which adds the body parsers
  guardServer(app.getHttpServer(), api);
  await app.listen(port, "127.0.0.1");
  // #endregion
}

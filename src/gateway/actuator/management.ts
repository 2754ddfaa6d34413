import type { Settings } from "../../config/settings.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import type { HttpHandler } from "../../http/message.ts";
import { listenerOf, notFound } from "../../http/node-messages.ts";
import { GatewayServer } from "../server/server.ts";
import { serverLimits } from "../server/server-limits.ts";

/** A port of its own for monitoring. */
export interface Management {
  /** For example `http://127.0.0.1:8990`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens where `management.server.port` says, if it is set. Rejects with `ListenError`. */
export async function openManagement(
  settings: Settings,
  actuator: HttpHandler,
  api: AdminApi,
): Promise<Management | undefined> {
  const port = settings["management.server.port"];
  const address = settings["management.server.address"];
  if (port === undefined) return undefined;
  const server = new GatewayServer(listenerOf(actuator, notFound), serverLimits(settings), { api });
  const taken = await server.listen(port, address, "management.server");
  return { url: `http://${address.includes(":") ? `[${address}]` : address}:${taken}`, close: () => server.close(0) };
}

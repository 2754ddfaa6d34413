import type { Authenticator } from "../auth/authenticator.ts";
import type { Settings } from "../config/settings.ts";
import { AdminApi } from "../core/admin-api.ts";
import { AdminError } from "../core/errors.ts";
import { adminHandler, type NodeListener } from "../http/node.ts";
import { notFound } from "../http/node-messages.ts";
import { type GatewayAudit, openAudit } from "./audit.ts";
import { type GatewayAuthentication, openAuthentication } from "./authentication.ts";
import { type EngineConnection, openEngine } from "./engine-connection.ts";
import { logEvents } from "./log-events.ts";
import type { MonitorLog } from "./monitor-log.ts";
import { GatewayServer } from "./server.ts";

/** What a gateway needs from its surroundings. */
export interface GatewayOptions {
  readonly settings: Settings;
  readonly log: MonitorLog;
  /** Environment whose variables the user file may name as `${NAME}`. */
  readonly environment: NodeJS.ProcessEnv;
}

/** A running gateway. */
export interface Gateway {
  /** Address it listens on, for example `http://127.0.0.1:8988`. */
  readonly url: string;
  /** One line about the engine, for the operator. */
  readonly engine: string;
  readonly authentication: Pick<GatewayAuthentication, "description" | "users">;
  /** Stops listening, lets requests under way finish, then lets go of the engine. */
  close(): Promise<void>;
}

/** Time beyond the engine's own that a request under way is given when the gateway closes. */
const CLOSE_PATIENCE_MS = 1_000;

/**
 * Starts the standalone gateway: access files, way to the engine, API, HTTP server. Rejects with an error whose message is
 * meant for the operator; then nothing is left running.
 */
export async function startGateway({ settings, log, environment }: GatewayOptions): Promise<Gateway> {
  const engine = await openEngine(settings, log);
  const authentication = await openAuthentication(settings, environment, log);
  const { api, audit } = await startApi(settings, engine, log).catch((error: unknown) => {
    authentication.close();
    throw error;
  });
  const server = new GatewayServer(listenerFor(api, authentication.authenticator, settings));
  const closeParts = async (): Promise<void> => {
    await api.close();
    await audit.close();
    engine.stop();
    authentication.close();
  };
  try {
    const address = settings["server.address"];
    const port = await server.listen(settings["server.port"], address);
    engine.start();
    return {
      url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
      engine: engine.description,
      authentication,
      close: async () => {
        await server.close(settings["admin.engine.request-timeout"] + CLOSE_PATIENCE_MS);
        await closeParts();
      },
    };
  } catch (error) {
    await closeParts();
    throw error;
  }
}

interface ApiParts {
  readonly api: AdminApi;
  readonly audit: GatewayAudit;
}

async function startApi(settings: Settings, engine: EngineConnection, log: MonitorLog): Promise<ApiParts> {
  let api: AdminApi | undefined;
  const audit = await openAudit(settings, log, ({ requestId }, cause) => {
    const error = new AdminError("INTERNAL", "An audit record is missing from the monitor log", { cause });
    api?.reportFailure(requestId, error);
  });
  try {
    api = new AdminApi({
      transport: engine.transport,
      audit: audit.sink,
      timeoutMs: settings["admin.engine.request-timeout"],
      unknownFields: settings["admin.api.unknown-fields"],
      projectionKeys: [...settings["admin.api.projection-keys"], ...engine.projectionKeys],
    });
    logEvents(api, log);
    await api.start();
    return { api, audit };
  } catch (error) {
    await audit.close();
    throw error;
  }
}

/** With `admin.api.enabled: false` nothing is mounted: every path is unknown (decision D-HTTP 9). */
function listenerFor(api: AdminApi, authenticator: Authenticator, settings: Settings): NodeListener {
  if (!settings["admin.api.enabled"]) return notFound;
  return adminHandler(api, { authenticator, maxBodyBytes: settings["admin.api.max-body-size"] });
}

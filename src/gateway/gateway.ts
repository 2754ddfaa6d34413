import { InProcessBus } from "../../transports/in-process.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Settings } from "../config/settings.ts";
import { AdminApi } from "../core/admin-api.ts";
import { systemClock } from "../core/clock.ts";
import { serveEngine } from "../engine/serve.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import { SimulatedEngine } from "../engine/simulated/simulated-engine.ts";
import { adminHandler, type NodeListener } from "../http/node.ts";
import { notFound } from "../http/node-messages.ts";
import { sampleInstallation } from "../package-files.ts";
import { type GatewayAuthentication, openAuthentication } from "./authentication.ts";
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
  /** What the embedded engine runs. */
  readonly installation: string;
  readonly authentication: Pick<GatewayAuthentication, "description" | "users">;
  /** Stops listening, lets requests under way finish, then stops the engine. */
  close(): Promise<void>;
}

/** Time beyond the engine's own that a request under way is given when the gateway closes. */
const CLOSE_PATIENCE_MS = 1_000;

/**
 * Starts the standalone gateway: access files, embedded engine, API, HTTP server. Rejects with an error whose message is
 * meant for the operator; then nothing is left running.
 */
export async function startGateway({ settings, log, environment }: GatewayOptions): Promise<Gateway> {
  const installationFile = settings["admin.engine.installation"] ?? sampleInstallation();
  const installation = await loadInstallation(installationFile);
  const authentication = await openAuthentication(settings, environment, log);
  const engine = new SimulatedEngine(installation, { clock: systemClock });
  const keys = [...settings["admin.api.projection-keys"], ...installation["projection-keys"]];
  const api = await startApi(settings, keys, engine, log);
  const server = new GatewayServer(listenerFor(api, authentication.authenticator, settings));
  const closeParts = async (): Promise<void> => {
    await api.close();
    engine.stop();
    authentication.close();
  };
  try {
    const address = settings["server.address"];
    const port = await server.listen(settings["server.port"], address);
    engine.start();
    return {
      url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
      installation: installationFile,
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

async function startApi(
  settings: Settings,
  projectionKeys: string[],
  engine: SimulatedEngine,
  log: MonitorLog,
): Promise<AdminApi> {
  const bus = new InProcessBus();
  await serveEngine(engine, bus);
  const api = new AdminApi({
    transport: bus,
    audit: log.audit,
    timeoutMs: settings["admin.engine.request-timeout"],
    unknownFields: settings["admin.api.unknown-fields"],
    projectionKeys,
  });
  logEvents(api, log);
  await api.start();
  return api;
}

/** With `admin.api.enabled: false` nothing is mounted: every path is unknown (decision D-HTTP 9). */
function listenerFor(api: AdminApi, authenticator: Authenticator, settings: Settings): NodeListener {
  if (!settings["admin.api.enabled"]) return notFound;
  return adminHandler(api, { authenticator, maxBodyBytes: settings["admin.api.max-body-size"] });
}

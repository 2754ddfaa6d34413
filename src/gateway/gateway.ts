import { setTimeout as pause } from "node:timers/promises";
import type { LinkEvent } from "../../transports/link/link.ts";
import { logLinkEvent } from "../../transports/link/link-events.ts";
import type { Settings } from "../config/settings.ts";
import { systemClock } from "../core/clock.ts";
import { Gate } from "../core/load/gate.ts";
import { ifGiven, integer, objectWith, optionsOf } from "../core/options.ts";
import { hostInUrl } from "../core/urls.ts";
import { isObject, once } from "../core/values/basics.ts";
import type { FixPort } from "../engine/fix/port.ts";
import type { Availability } from "./actuator/health.ts";
import { openManagement, watchGateway } from "./actuator/monitoring.ts";
import { type GatewayAuthentication, openAuthentication } from "./authentication.ts";
import { openEngine } from "./engine/opened-engine.ts";
import { openServerTls, type ServerCertificate } from "./https/https.ts";
import type { MonitorLog } from "./log/monitor-log.ts";
import { trustedProxiesOf } from "./proxy/monitor.ts";
import { GatewayServer } from "./server/server.ts";
import { type ServerLimits, serverLimits } from "./server/server-limits.ts";
import { connectionCapacity, systemLimits } from "./server/system-limits.ts";
import { openShared } from "./shared/open-shared.ts";
import { openSite } from "./site.ts";
import { OpenParts, startApi } from "./start-api.ts";
import { logPolicy, startWarnings } from "./start-warnings.ts";

/** Dependencies of a gateway. */
export interface GatewayOptions {
  readonly settings: Settings;
  readonly log: MonitorLog;
  /** Environment whose variables the user file may name as `${NAME}`. */
  readonly environment: NodeJS.ProcessEnv;
  /** First FIX port of an embedded engine for which the settings name none; free ones are taken if it is in use. */
  readonly preferredFixPort?: number;
}

const checked = optionsOf<GatewayOptions>("startGateway", {
  settings: objectWith("server.port", '(await loadSettings("application.yaml")).settings'),
  log: objectWith("requests", "openMonitorLog(1)"),
  environment: { like: "process.env", fits: isObject },
  preferredFixPort: ifGiven(integer({ min: 0, max: 65_535 })),
});

export interface Gateway {
  /** Address it listens on, for example `http://127.0.0.1:8988`; `https://...` with a certificate. */
  readonly url: string;
  /** The active certificate, which a reload may replace; undefined without HTTPS. */
  readonly certificate: ServerCertificate | undefined;
  /** Address of `/actuator`, which may be on a separate port. */
  readonly managementUrl: string;
  /** One line about the engine, for the operator. */
  readonly engine: string;
  /** Ports for FIX clients of an embedded engine, in the order of its order-entry gateways. */
  readonly fixPorts: readonly FixPort[];
  readonly authentication: Pick<GatewayAuthentication, "description" | "users">;
  /**
   * Turns unready, ends connections after their next response, stops listening, lets requests in progress finish, then closes
   * the link to the engine: commands without a reply by then are recorded as unknown. Rejects with an `AggregateError` when some part
   * of it could not be closed; the others are closed even so. Another call waits for the first.
   */
  close(): Promise<void>;
}

/** Time beyond the engine's own that a request in progress is given when the gateway closes. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Starts the standalone gateway: access files, way to the engine, API, HTTP server. Rejects with an error whose message is
 * for the operator; then nothing is left running.
 *
 * @example
 * const { settings } = await loadSettings("application.yaml");
 * const gateway = await startGateway({ settings, log: openMonitorLog(1), environment: process.env });
 * process.once("SIGTERM", () => gateway.close());
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  checked(options);
  const parts = new OpenParts();
  try {
    return await openGateway(options, parts);
  } catch (error) {
    // What fails now must not hide why the gateway did not start.
    await parts.close().catch((failure: AggregateError) => options.log.error(failure.message));
    throw error;
  }
}

async function openGateway(options: GatewayOptions, parts: OpenParts): Promise<Gateway> {
  const { settings, log, environment } = options;
  // A program that imports this entry and starts no gateway has no use for the metrics' library.
  const { GatewayMetrics } = await import("./telemetry/gateway-metrics.ts");
  const metrics = new GatewayMetrics();
  parts.add(() => {
    metrics.close();
    log.requests.flush();
  });
  const gate = new Gate(systemClock, settings["admin.lanes.read.turn"]);
  const link = { isUp: () => {} };
  const onLinkEvent = (event: LinkEvent): void => {
    metrics.onLinkEvent(event);
    logLinkEvent(event, log);
    if (event.kind === "up" || event.kind === "here") link.isUp();
  };
  const engine = await openEngine(settings, gate, onLinkEvent, options.preferredFixPort);
  parts.add(() => engine.stop());
  if (engine.clock) metrics.engineClock(engine.clock);
  if (engine.watch) metrics.engineWatch(engine.watch);
  const shared = await openShared(settings, log);
  parts.add(() => shared?.nats.close());
  const sharedFailures = shared?.sharedFailures;
  const authentication = await openAuthentication(settings, { environment, log, sharedFailures });
  parts.add(() => authentication.close());
  shared?.nats.start();
  logPolicy(settings, authentication.users, log);
  const policy = { approvals: shared?.approvals, permissionsOf: authentication.permissionsOf };
  const { api, records } = await startApi({ settings, engine, gate, log, metrics, policy, nats: shared?.nats }, parts);
  link.isUp = () => api.compareStops();
  const tls = await openServerTls(settings, log);
  parts.add(() => tls?.close());
  const { description, watch: engineWatch } = engine;
  const watched = { settings, log, api, engine: description, engineWatch, audit: records, authentication, tls };
  const monitoring = watchGateway(watched, metrics);
  const { authenticator } = authentication;
  for (const warning of startWarnings(settings)) log.warn(warning);
  const site = await openSite({ settings, log, api, authenticator, monitoring });
  parts.add(() => site.close());
  const management = await openManagement(settings, monitoring.actuator, api);
  parts.add(() => management?.close());
  const trustedProxies = trustedProxiesOf(settings);
  const server = new GatewayServer(site.listener, fittingLimits(settings, log), { tls, api, trustedProxies });
  metrics.connections(server.use);
  if (site.takeUpgrade) server.onUpgrade(site.takeUpgrade);
  const url = await listen(server, settings, tls !== undefined);
  engine.start();
  monitoring.availability.accepting = true;
  return {
    url,
    get certificate() {
      return tls?.certificate();
    },
    managementUrl: management?.url ?? url,
    engine: engine.description,
    fixPorts: engine.fixPorts,
    authentication,
    close: once(async () => {
      // From now on load balancers should send their requests elsewhere.
      monitoring.availability.accepting = false;
      await drain(server, monitoring.availability, settings["server.shutdown.drain-time"]);
      await server.close(settings["admin.engine.request-timeout"] + CLOSE_TIMEOUT_MS);
      await parts.close();
    }),
  };
}

/** Serves on: to the end of the time if readiness is being checked, as load balancers must see it go; else while there are connections. */
async function drain(server: GatewayServer, { isWatched }: Availability, durationMs: number): Promise<void> {
  await Promise.all([server.drain(durationMs), isWatched && pause(durationMs)]);
}

/** The limits of the server, within what the operating system lets the process open. */
function fittingLimits(settings: Settings, log: MonitorLog): ServerLimits {
  const { connections: maxConnections, warning } = connectionCapacity(settings, systemLimits());
  if (warning !== undefined) log.warn(warning);
  return { ...serverLimits(settings), maxConnections };
}

/** Listens, and returns the URL. */
async function listen(server: GatewayServer, settings: Settings, isSecure: boolean): Promise<string> {
  const address = settings["server.address"];
  const port = await server.listen(settings["server.port"], address);
  return `${isSecure ? "https" : "http"}://${hostInUrl(address)}:${port}`;
}

import { isIP } from "node:net";
import type { Settings } from "../../config/settings.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import { AdminError } from "../../core/errors.ts";
import { hostInUrl, hostOf, isLoopback } from "../../core/urls.ts";
import { packageVersion } from "../../files/package-files.ts";
import type { ResponseListener } from "../../http/admin-http-options.ts";
import type { HttpHandler } from "../../http/message.ts";
import { listenerOf, notFound } from "../../http/node-messages.ts";
import { refusal } from "../../http/responses.ts";
import type { MonitorLog } from "../log/monitor-log.ts";
import { GatewayServer } from "../server/server.ts";
import { serverLimits } from "../server/server-limits.ts";
import { MANAGEMENT_CONNECTIONS } from "../server/system-limits.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";
import { actuatorHandler } from "./actuator.ts";
import { Availability, healthComponents, type WatchedParts } from "./health.ts";

/** How a gateway is watched (`docs/operate/monitoring.md`). */
export interface Monitoring {
  readonly availability: Availability;
  readonly actuator: HttpHandler;
  readonly onResponse: ResponseListener;
}

/** Adds to `metrics` what the parts show, and opens what lets others see it. */
export function watchGateway(parts: WatchedParts, metrics: GatewayMetrics): Monitoring {
  const { settings, log, authentication, tls } = parts;
  const availability = new Availability();
  metrics.host(availability, log.requests);
  metrics.watchProcess(packageVersion());
  if (authentication.keySet) metrics.keySet(authentication.keySet);
  if (tls) metrics.certificate(() => tls.certificate().expires);
  const actuator = gatewayActuator(parts, metrics, availability);
  return { availability, actuator, onResponse: responseListener(settings, log, metrics) };
}

/** Counts responses and, unless that is switched off, writes a line for each. */
function responseListener(settings: Settings, log: MonitorLog, metrics: GatewayMetrics): ResponseListener {
  if (!settings["admin.api.request-log"]) return metrics.onResponse;
  return (report) => {
    metrics.onResponse(report);
    log.requests.write(report);
  };
}

/**
 * The actuator of a gateway. On the port of the API, metrics are for callers of the API; on its own port they are for
 * all who can reach it. That port has no TLS, so beyond this machine credentials are not accepted there.
 */
export function gatewayActuator(parts: WatchedParts, metrics: GatewayMetrics, availability: Availability): HttpHandler {
  const { settings, api, authentication } = parts;
  const ownPort = settings["management.server.port"] !== undefined;
  const takesCredentials = !ownPort || isLoopback(settings["management.server.address"]);
  return actuatorHandler({
    availability,
    components: healthComponents(parts),
    metrics: () => metrics.exposition(),
    authenticator: takesCredentials ? authentication.authenticator : undefined,
    api,
    openMetrics: ownPort,
    onFailure: (requestId, error) => api.reportFailure(requestId, error),
  });
}

/** A separate port for monitoring. */
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
  const handler = isLoopback(address) ? forThisMachine(actuator) : actuator;
  const limits = { ...serverLimits(settings), maxConnections: MANAGEMENT_CONNECTIONS };
  const server = new GatewayServer(listenerOf(handler, notFound), limits, { api });
  const taken = await server.listen(port, address, "management.server");
  return { url: `http://${hostInUrl(address)}:${taken}`, close: () => server.close(0) };
}

/**
 * Takes only requests for this machine by its own names: that of another may resolve to it, and a page from there could read what a browser
 * on this machine reaches (DNS rebinding, decision D-GATE 23).
 */
function forThisMachine(handle: HttpHandler): HttpHandler {
  return (request) => {
    if (namesThisMachine(request.header("host"))) return handle(request);
    return Promise.resolve(
      refusal(new AdminError("BAD_REQUEST", "The header Host must be localhost or an IP address")),
    );
  };
}

/** No browser leaves `Host` away or empty. */
function namesThisMachine(given: string | undefined): boolean {
  if (!given) return true;
  const host = URL.canParse(`http://${given}`) ? hostOf(new URL(`http://${given}`)) : "";
  return isIP(host) !== 0 || isLoopback(host);
}

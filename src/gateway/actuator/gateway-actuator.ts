import { isLoopback } from "../../core/loopback.ts";
import type { HttpHandler } from "../../http/message.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";
import { actuatorHandler } from "./actuator.ts";
import type { Availability } from "./availability.ts";
import { healthComponents, type WatchedParts } from "./components.ts";

/**
 * The actuator of a gateway. On the port of the API, metrics are for callers of the API; on a port of its own they are for
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
    failedLogins: api,
    openMetrics: ownPort,
    onFailure: (requestId, error) => api.reportFailure(requestId, error),
  });
}

import type { Authenticator } from "../../auth/authenticator.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import { requestIds } from "../../core/conventions.ts";
import { AdminError } from "../../core/errors.ts";
import { identify } from "../../http/identify.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "../../http/message.ts";
import { errorResponse, unauthenticatedResponse } from "../../http/responses.ts";
import type { Exposition } from "../telemetry/gateway-metrics.ts";
import { type Availability, type HealthComponents, type HealthStatus, httpStatusOf, overallHealth } from "./health.ts";

export interface ActuatorOptions {
  readonly availability: Availability;
  readonly components: HealthComponents;
  readonly metrics: () => Promise<Exposition>;
  /** Checks credentials as the API does; without it none are looked at, and health has no details. */
  readonly authenticator: Authenticator | undefined;
  /** Gets the credentials that are not accepted, and gives the turns in which checked ones are answered. */
  readonly api: Pick<AdminApi, "reportFailedLogin" | "gate">;
  /** Whether the metrics are open to all who can reach the port. */
  readonly openMetrics: boolean;
  /** Called with what failed inside. */
  readonly onFailure: (requestId: string, error: AdminError) => void;
}

/** Below this path everything is the actuator's. */
export const ACTUATOR_PATH = "/actuator";

type Endpoint = (request: HttpRequest, requestId: string) => HttpResponse | Promise<HttpResponse>;

const ALLOWED = "GET, HEAD";

/**
 * Makes the handler of `/actuator/health`, `/actuator/health/liveness`, `/actuator/health/readiness` and
 * `/actuator/prometheus`, in the shapes of Spring Boot's actuator. Paths match exactly.
 */
export function actuatorHandler(options: ActuatorOptions): HttpHandler {
  const endpoints = endpointsOf(options);
  const nextRequestId = requestIds();
  return (request) => {
    const endpoint = endpoints.get(request.target.split("?", 1)[0] ?? "");
    return endpoint && respondingTo(endpoint, request, nextRequestId(), options.onFailure);
  };
}

async function respondingTo(
  endpoint: Endpoint,
  request: HttpRequest,
  requestId: string,
  onFailure: ActuatorOptions["onFailure"],
): Promise<HttpResponse> {
  try {
    return await endpoint(request, requestId);
  } catch (thrown) {
    const error = AdminError.from(thrown);
    if (!(thrown instanceof AdminError)) onFailure(requestId, error);
    return errorResponse(requestId, error, error.code === "METHOD_NOT_ALLOWED" ? { Allow: ALLOWED } : {});
  }
}

function endpointsOf(options: ActuatorOptions): ReadonlyMap<string, Endpoint> {
  const { availability, authenticator, api, openMetrics } = options;
  const get =
    (respond: () => HttpResponse | Promise<HttpResponse>): Endpoint =>
    ({ method }) => {
      if (method === "GET" || method === "HEAD") return respond();
      throw new AdminError("METHOD_NOT_ALLOWED", `This path allows ${ALLOWED}`);
    };
  const probe = (status: () => HealthStatus): Endpoint => get(() => healthResponse({ status: status() }));
  const health = (details: boolean): Endpoint => get(() => healthResponse(overallHealth(options.components, details)));
  const summary = health(false);
  const metrics = get(async () => {
    const { contentType, text } = await options.metrics();
    return uncached(200, contentType, text);
  });
  const endpoints = new Map<string, Endpoint>([
    [`${ACTUATOR_PATH}/health/liveness`, probe(() => "UP")],
    [`${ACTUATOR_PATH}/health/readiness`, probe(() => availability.checked())],
    [`${ACTUATOR_PATH}/health`, summary],
    [`${ACTUATOR_PATH}/prometheus`, metrics],
  ]);
  if (!authenticator) return endpoints;
  const details = forUsers(authenticator, api, health(true));
  endpoints.set(`${ACTUATOR_PATH}/health`, (request, requestId) =>
    (request.header("authorization") === undefined ? summary : details)(request, requestId),
  );
  if (!openMetrics) endpoints.set(`${ACTUATOR_PATH}/prometheus`, forUsers(authenticator, api, metrics));
  return endpoints;
}

/** An endpoint for callers of the API (401 or 403 for others, before anything else is checked). */
function forUsers(authenticator: Authenticator, api: ActuatorOptions["api"], endpoint: Endpoint): Endpoint {
  return async (request, requestId) => {
    const authentication = await identify({ authenticator, api }, request);
    if (authentication.kind === "principal") return endpoint(request, requestId);
    return unauthenticatedResponse(api, { request, requestId }, authentication);
  };
}

function healthResponse(body: { readonly status: HealthStatus }): HttpResponse {
  return uncached(httpStatusOf(body.status), "application/vnd.spring-boot.actuator.v3+json", JSON.stringify(body));
}

function uncached(status: number, contentType: string, body: string): HttpResponse {
  const headers = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(body),
  };
  return { status, headers, body };
}

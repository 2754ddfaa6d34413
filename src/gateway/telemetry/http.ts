import type { Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import { ADMIN_ERRORS, UNREAD_CODES } from "../../core/errors.ts";
import type { LoginStage } from "../../core/records/record.ts";
import type { ResponseListener } from "../../http/admin-http-options.ts";
import type { ServerUse } from "../server/server.ts";
import { eventCounter, gauge, total } from "./metrics.ts";

/** Statuses with which the server refuses what does not become a request of the API. */
const REFUSALS = (["BAD_REQUEST", ...UNREAD_CODES] as const).map((code) => ADMIN_ERRORS[code].status);

/** Shows how much of the server is in use, and how many connections it refused before there was a request. */
export function measureConnections(registry: Registry, use: ServerUse): void {
  gauge(registry, {
    name: "trading_admin_connections",
    help: "Open connections, including WebSockets to the monitor backend.",
    read: () => use.connections,
  });
  gauge(registry, {
    name: "trading_admin_connections_capacity",
    help: "Connections that may be open concurrently; beyond that, a new one replaces the least recently used of the caller with the most.",
    read: () => use.capacity,
  });
  total(registry, {
    name: "trading_admin_connections_dropped_total",
    help: "Connections that were closed to make room for others.",
    read: () => use.dropped,
  });
  total(registry, {
    name: "trading_admin_refused_requests_total",
    help: "Input that did not become a request, by the status of its refusal: not valid HTTP, too slow to arrive, too long.",
    labelNames: ["status"],
    read: () => REFUSALS.map((status) => [{ status }, use.refused.get(status) ?? 0]),
  });
}

/** Counts the responses below the base path, those without an operation too; the returned function is called with them. */
export function measureResponses(registry: Registry): ResponseListener {
  const known = [200, 204, 304, ...Object.values(ADMIN_ERRORS).map(({ status }) => status)];
  const responded = eventCounter<{ status: number }>(registry, {
    name: "trading_admin_http_answers_total",
    help: "HTTP responses of the API by status, including those without an operation, such as 401, 404, 405.",
    known: known.map((status) => ({ status })),
  });
  return ({ status }) => responded({ status });
}

/** By the stage that records of failed logins have. */
const RESULTS: Readonly<Record<LoginStage, string>> = { "login-refused": "refused", "login-throttled": "throttled" };

/** Counts requests whose credentials were not accepted. */
export function measureLogins(registry: Registry, api: AdminApi): void {
  const failed = eventCounter(registry, {
    name: "trading_admin_failed_logins_total",
    help: "Requests whose credentials were wrong (refused, 401), or not accepted because too many others were wrong (throttled, 429).",
    known: Object.values(RESULTS).map((result) => ({ result })),
  });
  api.on("loginFailed", ({ stage }) => failed({ result: RESULTS[stage] }));
}

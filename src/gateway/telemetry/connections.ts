import { Counter, type Registry } from "prom-client";
import { ADMIN_ERRORS, UNREAD_CODES } from "../../core/errors.ts";
import type { ServerUse } from "../server/server.ts";
import { gauge, total } from "./read-metrics.ts";

/** Statuses with which the server refuses what does not become a request of the API. */
const REFUSALS = (["BAD_REQUEST", ...UNREAD_CODES] as const).map((code) => ADMIN_ERRORS[code].status);

/** Shows how much of the server is in use, and how many connections it refused before there was a request. */
export function measureConnections(registry: Registry, use: ServerUse): void {
  gauge(registry, {
    name: "trading_admin_connections",
    help: "Open connections, those included that speak WebSocket with the monitor backend.",
    read: () => use.connections,
  });
  gauge(registry, {
    name: "trading_admin_connections_capacity",
    help: "Connections that may be open at once; beyond it, idle and slow ones make room for new ones.",
    read: () => use.capacity,
  });
  total(registry, {
    name: "trading_admin_connections_dropped_total",
    help: "Connections that were closed to make room for others.",
    read: () => use.dropped,
  });
  new Counter({
    name: "trading_admin_refused_requests_total",
    help: "What did not become a request, by the status of its refusal: no valid HTTP, too slow to arrive, too long.",
    labelNames: ["status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const status of REFUSALS) this.inc({ status }, use.refused.get(status) ?? 0);
    },
  });
}

import type { Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import { gauge, total } from "./metrics.ts";

/** Shows what is stopped through this gateway, and counts what the engine has forgotten of it and what was found cut off. */
export function measureStops(registry: Registry, api: AdminApi): void {
  gauge(registry, {
    name: "trading_admin_halted_nodes",
    help: "Halts that were applied through this gateway, not taken back here, and not lost: nodes, and all trading as one more.",
    read: () => api.stops.count("haltTrading"),
  });
  gauge(registry, {
    name: "trading_admin_disabled_services",
    help: "Services that were disabled through this gateway, not enabled again here, and whose disabling is not lost.",
    read: () => api.stops.count("disableService"),
  });
  let lost = 0;
  total(registry, {
    name: "trading_admin_state_lost_total",
    help: "Stops that were applied and not taken back here, and that the engine no longer showed: halts, disabled services and FIX sessions.",
    read: () => lost,
  });
  api.on("stateLost", () => {
    lost += 1;
  });
  let cutOff = 0;
  total(registry, {
    name: "trading_admin_intents_cut_off_total",
    help: "Commands without an outcome, found in the audit file of this gateway or beside it: their gateway had ended before the outcome was recorded.",
    read: () => cutOff,
  });
  api.on("cutOff", ({ intents }) => {
    cutOff += intents.length;
  });
}

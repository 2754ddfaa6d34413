import { Counter, type Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import type { LoginStage } from "../../core/records/record.ts";

/** By the stage that records of failed logins have. */
const RESULTS: Readonly<Record<LoginStage, string>> = { "login-refused": "refused", "login-throttled": "throttled" };

/** Counts requests whose credentials were not accepted. */
export function measureLogins(registry: Registry, api: AdminApi): void {
  const failed = new Counter({
    name: "trading_admin_failed_logins_total",
    help: "Requests with credentials that were wrong (refused, 401), or not checked as too many others were wrong (throttled, 429).",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const result of Object.values(RESULTS)) failed.inc({ result }, 0);
  api.on("loginFailed", ({ stage }) => failed.inc({ result: RESULTS[stage] }));
}

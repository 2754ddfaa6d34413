import { Counter, type Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import { ADMIN_ERRORS } from "../../core/errors.ts";
import type { LoginStage } from "../../core/records/record.ts";
import type { ResponseListener } from "../../http/response-report.ts";

/** Counts the responses below the base path, those without an operation too; the returned function is called with them. */
export function measureResponses(registry: Registry): ResponseListener {
  const known = [200, 204, 304, ...Object.values(ADMIN_ERRORS).map(({ status }) => status)];
  const counts = new Map(known.map((status) => [status, { count: 0 }]));
  new Counter({
    name: "trading_admin_http_answers_total",
    help: "HTTP responses of the API by status, including those that belong to no operation, such as 401, 404, 405.",
    labelNames: ["status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [status, { count }] of counts) this.inc({ status }, count);
    },
  });
  return ({ status }) => {
    const cell = counts.get(status);
    if (cell) cell.count += 1;
    else counts.set(status, { count: 1 });
  };
}

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

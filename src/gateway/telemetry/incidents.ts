import { Counter, type Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import { ADMIN_ERRORS } from "../../core/errors.ts";
import { operationNames } from "../../core/operations/table.ts";
import { LANES, laneOf } from "./calls.ts";

/** Counts what should not happen: failures on our side or the engine's, late replies, records that are lost. */
export function measureIncidents(registry: Registry, api: AdminApi): void {
  countFailures(registry, api);
  countLateReplies(registry, api);
  countLostRecords(registry, api);
}

function countFailures(registry: Registry, api: AdminApi): void {
  const failures = new Counter({
    name: "trading_admin_failures_total",
    help: "Requests with a status of 500 or more, by error code (docs/reference/errors.md), including those that failed before their operation was known.",
    labelNames: ["code"],
    registers: [registry],
  });
  for (const [code, { status }] of Object.entries(ADMIN_ERRORS)) if (status >= 500) failures.inc({ code }, 0);
  api.on("failure", ({ error: { code } }) => failures.inc({ code }));
}

function countLateReplies(registry: Registry, api: AdminApi): void {
  const late = new Counter({
    name: "trading_admin_late_answers_total",
    help: "Mutations whose outcome was unknown and became known later, by what the engine said then.",
    labelNames: ["operation", "result"],
    registers: [registry],
  });
  const mutations = operationNames.filter((name) => laneOf(name) !== "read");
  for (const operation of mutations) {
    for (const result of ["applied", "rejected"]) late.inc({ operation, result }, 0);
  }
  api.on("lateReply", ({ operation, stage }) => {
    if (operation !== null) late.inc({ operation, result: stage === "applied late" ? "applied" : "rejected" });
  });
}

function countLostRecords(registry: Registry, api: AdminApi): void {
  const lost = new Counter({
    name: "trading_admin_audit_failures_total",
    help: "Audit records that were not kept in time. Lane stop: the operation went on without; change: it was refused, or its outcome is not recorded; none: a record that counts failed logins or refusals.",
    labelNames: ["lane"],
    registers: [registry],
  });
  for (const lane of [...LANES.filter((name) => name !== "read"), "none"]) lost.inc({ lane }, 0);
  api.on("auditFailure", ({ record: { operation } }) => {
    lost.inc({ lane: operation === null ? "none" : laneOf(operation) });
  });
}

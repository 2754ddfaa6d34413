import type { Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import { ADMIN_ERRORS } from "../../core/errors.ts";
import { callRecords, operationNames } from "../../core/operations/table.ts";
import { LANES, laneOf } from "./calls.ts";
import { eventCounter, gauge } from "./metrics.ts";

/** Counts what is not shown of the engine's replies, as it breaks the contract. */
export function measureInvalidFields(registry: Registry, api: AdminApi): void {
  const withOutput = [...callRecords(api)].filter(([, { examples }]) => examples[0].output !== null);
  const invalid = eventCounter<{ operation: string }>(registry, {
    name: "trading_admin_invalid_fields_total",
    help: "Fields and rows of the engine's replies that break the contract and are not shown: null, or left out.",
    known: withOutput.map(([operation]) => ({ operation })),
  });
  api.on("invalidReply", ({ operation, count }) => invalid({ operation }, count));
}

/** Counts what should not happen: failures on our side or the engine's, late replies, records that are lost. */
export function measureIncidents(registry: Registry, api: AdminApi): void {
  const ours = Object.entries(ADMIN_ERRORS).filter(([, { status }]) => status >= 500);
  const failed = eventCounter<{ code: string }>(registry, {
    name: "trading_admin_failures_total",
    help: "Requests with a status of 500 or more, by error code (docs/reference/errors.md), including those that failed before their operation was known.",
    known: ours.map(([code]) => ({ code })),
  });
  api.on("failure", ({ error: { code } }) => failed({ code }));

  const mutations = operationNames.filter((name) => laneOf(name) !== "read");
  const late = eventCounter<{ operation: string; result: string }>(registry, {
    name: "trading_admin_late_answers_total",
    help: "Mutations whose outcome was unknown and became known later, by the engine's late reply.",
    known: mutations.flatMap((operation) => ["applied", "rejected"].map((result) => ({ operation, result }))),
  });
  api.on("lateReply", ({ operation, stage }) => {
    if (operation !== null && stage !== "unknown")
      late({ operation, result: stage === "applied late" ? "applied" : "rejected" });
  });

  const contradicted = eventCounter<{ operation: string }>(registry, {
    name: "trading_admin_contradictions_total",
    help: "Requests that got two contradictory replies: the engine is broken, or somebody replies in its place.",
    known: operationNames.map((operation) => ({ operation })),
  });
  api.on("contradiction", ({ operation }) => contradicted({ operation }));

  const lost = eventCounter<{ lane: string }>(registry, {
    name: "trading_admin_audit_failures_total",
    help: "Audit records that were not persisted in time. Lane stop: the operation continued without one; change: it was refused, or its outcome is not recorded; none: a record that counts failed logins or refusals.",
    known: [...LANES.filter((name) => name !== "read"), "none"].map((lane) => ({ lane })),
  });
  api.on("auditFailure", ({ record: { operation } }) =>
    lost({ lane: operation === null ? "none" : laneOf(operation) }),
  );
}

/** Shows what is stopped through this gateway, and counts what the engine has forgotten of it and what was found cut off. */
export function measureStops(registry: Registry, api: AdminApi): void {
  gauge(registry, {
    name: "trading_admin_halted_nodes",
    help: "Halts that were applied through this gateway, not resumed here, and that the engine still shows: nodes, and all trading as one more.",
    read: () => api.stops.count("haltTrading"),
  });
  gauge(registry, {
    name: "trading_admin_disabled_services",
    help: "Services that were disabled through this gateway, not enabled again here, and that the engine still shows disabled.",
    read: () => api.stops.count("disableService"),
  });
  const lost = eventCounter(registry, {
    name: "trading_admin_state_lost_total",
    help: "Stops that were applied and not taken back here, and that the engine no longer showed: halts, disabled services and FIX sessions.",
    known: [{}],
  });
  api.on("stateLost", () => lost({}));
  const cutOff = eventCounter(registry, {
    name: "trading_admin_intents_cut_off_total",
    help: "Commands without an outcome, found in the audit file of this gateway or beside it: their gateway had ended before the outcome was recorded.",
    known: [{}],
  });
  api.on("cutOff", ({ intents }) => cutOff({}, intents.length));
}

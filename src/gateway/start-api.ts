import type { Settings } from "../config/settings.ts";
import { AdminApi } from "../core/admin-api.ts";
import type { AdminApiOptions } from "../core/admin-api-options.ts";
import { systemClock } from "../core/clock.ts";
import { AdminError } from "../core/errors.ts";
import type { Gate } from "../core/load/gate.ts";
import { messageOf } from "../core/values/basics.ts";
import { openAudit } from "./audit/audit.ts";
import type { OpenedEngine } from "./engine/opened-engine.ts";
import { nameOfGateway } from "./from-settings.ts";
import type { MonitorLog } from "./log/monitor-log.ts";
import { openPolicy, type PolicySurroundings } from "./policy.ts";
import type { SharedNats } from "./shared/shared-nats.ts";
import type { GatewayMetrics } from "./telemetry/gateway-metrics.ts";
import type { MeasuredAudit } from "./telemetry/measured-audit.ts";

type Close = () => void | Promise<void>;

/** Opened resources, closed in reverse order. */
export class OpenParts {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.push(close);
  }

  /** Closes everything, once, also when closing some of it fails. Then rejects with an `AggregateError` of all failures, in their order. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closes.splice(0).reverse()) {
      try {
        await close();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length === 0) return;
    const reasons = failures.map(messageOf);
    throw new AggregateError(failures, `Not everything could be closed: ${reasons.join("; ")}`);
  }
}

/** The API of a gateway, and the way of its audit records. */
export interface StartedApi {
  readonly api: AdminApi;
  readonly records: MeasuredAudit;
}

export interface ApiNeeds {
  readonly settings: Settings;
  readonly engine: OpenedEngine;
  readonly gate: Gate;
  readonly log: MonitorLog;
  readonly metrics: GatewayMetrics;
  readonly policy: Pick<PolicySurroundings, "approvals" | "permissionsOf">;
  /** The connection that gateways share; undefined without one. */
  readonly nats: SharedNats | undefined;
}

/** Opens the audit and starts the API; what has to be closed is added to `parts`. */
export async function startApi(needs: ApiNeeds, parts: OpenParts): Promise<StartedApi> {
  const { settings, engine, gate, log, metrics, nats } = needs;
  let api: AdminApi | undefined;
  const audit = await openAudit({ settings, log, nats }, ({ requestId }, cause) => {
    const error = new AdminError("INTERNAL", "An audit record is missing from the monitor log", { cause });
    api?.reportFailure(requestId, error);
  });
  parts.add(() => audit.close());
  const records = metrics.audit(audit.sink, audit.working);
  metrics.auditStream(audit.behind);
  api = new AdminApi({
    ...apiOptions(needs),
    transport: metrics.transport(engine.transport),
    audit: { write: (record) => records.write(record), history: audit.history },
    log,
    ...(audit.neighbours && { neighbours: audit.neighbours }),
    gate,
  });
  const started = api;
  parts.add(() => started.close());
  metrics.watch(api);
  await api.start();
  parts.add(metrics.fixSessions({ api, clock: systemClock, log }));
  return { api, records };
}

function apiOptions({ settings, engine, policy }: ApiNeeds): Omit<AdminApiOptions, "transport" | "audit" | "gate"> {
  const projectionKeys = [...settings["admin.api.projection-keys"], ...engine.projectionKeys];
  const authorize = openPolicy(settings, { ...policy, projectionKeys, clock: engine.clock });
  return {
    gateway: nameOfGateway(settings),
    ...(authorize && { authorize }),
    capacities: {
      stop: settings["admin.lanes.stop.capacity"],
      change: settings["admin.lanes.change.capacity"],
      read: settings["admin.lanes.read.capacity"],
    },
    userShare: settings["admin.lanes.user-share"] / 100,
    largeReplies: settings["admin.lanes.read.max-large"],
    timeoutMs: settings["admin.engine.request-timeout"],
    maxRiskCommands: settings["admin.api.max-risk-commands"],
    unknownFields: settings["admin.api.unknown-fields"],
    extensions: settings["admin.api.extensions"],
    projectionKeys,
  };
}

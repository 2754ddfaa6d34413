import { authenticationMechanism } from "../../config/mechanism.ts";
import type { Settings } from "../../config/settings.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import type { GatewayAuthentication } from "../authentication.ts";
import type { ServerTls } from "../https/https.ts";
import type { MonitorLog } from "../log/monitor-log.ts";
import type { MeasuredAudit } from "../telemetry/measured-audit.ts";
import type { ComponentHealth, HealthComponents } from "./health.ts";

/** The parts of a gateway that are watched. */
export interface WatchedParts {
  readonly settings: Settings;
  readonly log: MonitorLog;
  readonly api: AdminApi;
  /** One line about the engine. */
  readonly engine: string;
  readonly audit: MeasuredAudit;
  readonly authentication: GatewayAuthentication;
  /** Undefined without HTTPS. */
  readonly tls: ServerTls | undefined;
}

/** What `/actuator/health` shows of each part. */
export function healthComponents(parts: WatchedParts): HealthComponents {
  const { api, engine, audit, tls } = parts;
  return {
    engine: () => ({ status: api.linkState === "up" ? "UP" : "DOWN", details: { link: api.linkState, engine } }),
    audit: () => ({ status: audit.working ? "UP" : "DOWN", details: { pendingRecords: audit.pending } }),
    authentication: () => authenticationHealth(parts),
    ...(tls && { certificate: () => certificateHealth(tls) }),
  };
}

function authenticationHealth({ settings, authentication }: WatchedParts): ComponentHealth {
  const { description: mechanism, keySet } = authentication;
  if (authenticationMechanism(settings).kind === "closed") return { status: "OUT_OF_SERVICE", details: { mechanism } };
  if (!keySet) return { status: "UP", details: { mechanism } };
  const { fetchedAt, validUntil, stale } = keySet();
  const usable = validUntil !== undefined && Date.now() < validUntil;
  const keys = { fetchedAt: instant(fetchedAt), validUntil: instant(validUntil), stale };
  return { status: usable ? "UP" : "DOWN", details: { mechanism, keys } };
}

function certificateHealth(tls: ServerTls): ComponentHealth {
  const { subject, expires } = tls.certificate();
  const expired = Date.now() >= expires.getTime();
  return { status: expired ? "DOWN" : "UP", details: { subject, expires: expires.toISOString() } };
}

function instant(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}

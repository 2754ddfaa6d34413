import { authenticationMechanism } from "../../config/mechanism.ts";
import type { ServerTls } from "../https.ts";
import type { WatchedParts } from "../monitoring.ts";
import type { ComponentHealth, HealthComponents } from "./health.ts";

/** What `/actuator/health` tells of each part. */
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

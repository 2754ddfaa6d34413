import type { EngineWatch } from "../../../transports/link/engine-watch.ts";
import { authenticationMechanism } from "../../config/mechanism.ts";
import type { Settings } from "../../config/settings.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import { type Clock, monotonicMs, systemClock } from "../../core/clock.ts";
import type { GatewayAuthentication } from "../authentication.ts";
import type { ServerTls } from "../https/https.ts";
import type { MonitorLog } from "../log/monitor-log.ts";
import type { MeasuredAudit } from "../telemetry/measured-audit.ts";

/** Status words of Spring Boot's health endpoint. */
export type HealthStatus = "UP" | "DOWN" | "OUT_OF_SERVICE";

/** State of one part of a gateway. Details must hold nothing secret. */
interface ComponentHealth {
  readonly status: HealthStatus;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Parts of a gateway by name, each with what returns its state now. */
export type HealthComponents = Readonly<Record<string, () => ComponentHealth>>;

/** Body of `/actuator/health`, in the format of Spring Boot. */
interface HealthBody {
  readonly status: HealthStatus;
  readonly components?: Readonly<Record<string, ComponentHealth>>;
  readonly groups: readonly string[];
}

/** Groups with their own endpoints. */
const GROUPS = ["liveness", "readiness"] as const;

/** The worst first, as Spring Boot aggregates. */
const SEVERITY: readonly HealthStatus[] = ["DOWN", "OUT_OF_SERVICE", "UP"];

/** Health of the whole gateway, which is that of its worst part; the parts only where `details` is true. */
export function overallHealth(components: HealthComponents, details: boolean): HealthBody {
  const states = Object.fromEntries(Object.entries(components).map(([name, state]) => [name, state()]));
  const found = new Set(Object.values(states).map(({ status }) => status));
  const status = SEVERITY.find((candidate) => found.has(candidate)) ?? "UP";
  return { status, ...(details && { components: states }), groups: GROUPS };
}

/** HTTP status of a health response: what a load balancer or orchestrator goes by. */
export function httpStatusOf(status: HealthStatus): number {
  return status === "UP" ? 200 : 503;
}

export interface WatchedParts {
  readonly settings: Settings;
  readonly log: MonitorLog;
  readonly api: AdminApi;
  /** One line about the engine. */
  readonly engine: string;
  /** Which engines listen; undefined for an engine in this process. */
  readonly engineWatch?: Pick<EngineWatch, "states"> | undefined;
  readonly audit: MeasuredAudit;
  readonly authentication: GatewayAuthentication;
  /** Undefined without HTTPS. */
  readonly tls: ServerTls | undefined;
}

export function healthComponents(parts: WatchedParts): HealthComponents {
  const { audit, tls } = parts;
  return {
    engine: () => engineHealth(parts),
    audit: () => ({ status: audit.working ? "UP" : "DOWN", details: { pendingRecords: audit.pending } }),
    authentication: () => authenticationHealth(parts),
    ...(tls && { certificate: () => certificateHealth(tls) }),
  };
}

/** Requests that are shared among separate states have no reliable effect; where there is one state, it is not shown. */
function engineHealth({ api, engine, engineWatch }: WatchedParts): ComponentHealth {
  const states = engineWatch?.states ?? 0;
  const isSplit = states > 1;
  const details = { link: api.linkState, engine, ...(isSplit && { separateStates: states }) };
  return { status: api.linkState === "up" && !isSplit ? "UP" : "DOWN", details };
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

/** Whoever checks readiness does so more often than this. */
const CHECKED_WITHIN_MS = 60_000;

/** Whether a gateway takes requests: from when it listens until it begins to shut down. Remembers whether anybody checks that. */
export class Availability {
  accepting = false;
  readonly #clock: Clock;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Answers a readiness check. */
  checked(): "UP" | "OUT_OF_SERVICE" {
    this.#checkedAt = monotonicMs(this.#clock);
    return this.accepting ? "UP" : "OUT_OF_SERVICE";
  }

  /** Whether somebody, such as a load balancer, has checked within the last minute: they need time to see that it is over. */
  get isWatched(): boolean {
    return monotonicMs(this.#clock) - this.#checkedAt < CHECKED_WITHIN_MS;
  }
}

/** Status words of Spring Boot's health endpoint. */
export type HealthStatus = "UP" | "DOWN" | "OUT_OF_SERVICE";

/** State of one part of a gateway. Details must hold nothing secret. */
export interface ComponentHealth {
  readonly status: HealthStatus;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Parts of a gateway by name, each with what returns its state now. */
export type HealthComponents = Readonly<Record<string, () => ComponentHealth>>;

/** Body of `/actuator/health`, in the format of Spring Boot. */
export interface HealthBody {
  readonly status: HealthStatus;
  readonly components?: Readonly<Record<string, ComponentHealth>>;
  readonly groups: readonly string[];
}

/** Groups with endpoints of their own. */
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

/** Whether a gateway takes requests: from when it listens until it begins to shut down. */
export interface Availability {
  accepting: boolean;
}

import type { Registry } from "prom-client";
import type { AdminApi } from "../../core/admin-api.ts";
import type { Clock } from "../../core/clock.ts";
import type { Output } from "../../core/operations/table.ts";
import { messageOf } from "../../core/values/basics.ts";
import type { MonitorLog } from "../log/monitor-log.ts";
import { gauge } from "./metrics.ts";

type Session = Output<"listFixSessions">[number];

const STATUSES: readonly Session["status"][] = ["Connected", "Disconnected", "Disabled"];

/** The pace at which the lists are read, whoever scrapes the metrics and how often. */
const PACE_MS = 30_000;

interface Seen {
  readonly counts: ReadonlyMap<Session["status"], number>;
  /** All sessions with their statuses and peers. */
  readonly state: string;
  /** Epoch milliseconds at which another state was seen than before; 0 for never. */
  readonly changedAt: number;
}

export interface FixSessionNeeds {
  readonly api: Pick<AdminApi, "readAsGateway" | "linkState">;
  readonly clock: Clock;
  readonly log: Pick<MonitorLog, "warn" | "info">;
}

/** Reads how many FIX sessions are in which status: slowly, one list after the other, in the read lane. */
export class FixSessionCounts {
  readonly #needs: FixSessionNeeds;
  /** By name of the gateway, as each was last read. */
  #known: ReadonlyMap<string, Seen> = new Map();
  /** Those that the last round could read. */
  #current: readonly string[] = [];
  #unread: ReadonlySet<string> = new Set();
  #cancel: () => void = () => {};
  #closed = false;

  constructor(needs: FixSessionNeeds, registry: Registry) {
    this.#needs = needs;
    gauge(registry, {
      name: "trading_admin_fix_sessions",
      help: "FIX sessions of a gateway by status, read from the engine every 30 s; absent for a gateway that could not be read.",
      labelNames: ["gateway", "status"],
      read: () =>
        this.#current.flatMap((gateway) => {
          const counts = this.#known.get(gateway)?.counts;
          return STATUSES.map((status) => [{ gateway, status }, counts?.get(status) ?? 0] as const);
        }),
    });
    gauge(registry, {
      name: "trading_admin_fix_last_change_timestamp_seconds",
      help: "When a session of the FIX gateway was last seen with another status or peer than 30 s before, in seconds since the epoch; 0: not since the start.",
      labelNames: ["gateway"],
      read: () =>
        this.#current.map((gateway) => [{ gateway }, (this.#known.get(gateway)?.changedAt ?? 0) / 1000] as const),
    });
  }

  start(): void {
    this.#plan();
  }

  /** Begins no further reading. */
  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #plan(): void {
    if (this.#closed) return;
    this.#cancel = this.#needs.clock.schedule(PACE_MS, () => {
      void this.#readAll().then(() => this.#plan());
    });
  }

  async #readAll(): Promise<void> {
    const { api } = this.#needs;
    if (api.linkState !== "up") {
      this.#current = [];
      return;
    }
    const gateways = await this.#tried("the list of FIX gateways", () => api.readAsGateway("listFixGateways", {}));
    const names = new Set(gateways?.map(({ gatewayName }) => gatewayName));
    const known = new Map([...this.#known].filter(([name]) => !gateways || names.has(name)));
    const current: string[] = [];
    for (const gateway of names) {
      if (this.#closed) break;
      const read = (): Promise<Session[]> => api.readAsGateway("listFixSessions", { gateway });
      const sessions = await this.#tried(`FIX gateway ${gateway}`, read);
      if (!sessions) continue;
      known.set(gateway, this.#seen(gateway, sessions));
      current.push(gateway);
    }
    this.#known = known;
    this.#current = current;
  }

  #seen(gateway: string, sessions: readonly Session[]): Seen {
    const before = this.#known.get(gateway);
    const counts = new Map<Session["status"], number>();
    for (const { status } of sessions) counts.set(status, (counts.get(status) ?? 0) + 1);
    const state = JSON.stringify(
      sessions
        .map(({ sessionId, status, remoteIp, remotePort }) => [sessionId, status, remoteIp, remotePort])
        .toSorted(),
    );
    const isChanged = before !== undefined && before.state !== state;
    return { counts, state, changedAt: isChanged ? this.#needs.clock.now() : (before?.changedAt ?? 0) };
  }

  /** Undefined where it cannot be read; the log says so when it begins and when it ends. */
  async #tried<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    const { log } = this.#needs;
    const others = new Set([...this.#unread].filter((name) => name !== what));
    try {
      const found = await read();
      if (this.#unread.has(what)) log.info(`Metrics of FIX sessions: ${what} can be read again`);
      this.#unread = others;
      return found;
    } catch (error) {
      if (!this.#unread.has(what) && !this.#closed)
        log.warn(`Metrics of FIX sessions: ${what} cannot be read: ${messageOf(error)}`);
      this.#unread = others.add(what);
      return undefined;
    }
  }
}

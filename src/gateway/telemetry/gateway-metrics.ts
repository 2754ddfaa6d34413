import { Registry } from "prom-client";
import type { EngineClock } from "../../../transports/link/engine-clock.ts";
import type { EngineWatch } from "../../../transports/link/engine-watch.ts";
import type { LinkEvent } from "../../../transports/link/link.ts";
import type { KeySetState } from "../../auth/token/key-cache.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import type { EngineTransport } from "../../core/engine/transport.ts";
import type { AuditSink } from "../../core/records/record.ts";
import type { ResponseListener } from "../../http/admin-http-options.ts";
import type { Availability } from "../actuator/health.ts";
import type { RequestLog } from "../log/request-log.ts";
import type { ServerUse } from "../server/server.ts";
import { measureCalls } from "./calls.ts";
import { FixSessionCounts, type FixSessionNeeds } from "./fix-sessions.ts";
import { measureConnections, measureLogins, measureResponses } from "./http.ts";
import { measureIncidents, measureInvalidFields, measureStops } from "./incidents.ts";
import { MeasuredTransport, measureLink, measureLinkEvents } from "./link.ts";
import { MeasuredAudit } from "./measured-audit.ts";
import { gauge, total } from "./metrics.ts";
import { measureEventLoop, measureProcess } from "./process.ts";

/** All metrics as a Prometheus server reads them. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** The metrics of one gateway, in its own registry: several gateways in a process do not disturb each other. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  /** Called with what happens on the link to the engine. */
  readonly onLinkEvent: (event: LinkEvent) => void = measureLinkEvents(this.#registry);
  /** Called with responses below the base path. */
  readonly onResponse: ResponseListener = measureResponses(this.#registry);
  #inProgress: Promise<string> | undefined;
  #stop: () => void = () => {};

  engineClock(clock: EngineClock): void {
    gauge(this.#registry, {
      name: "trading_admin_engine_clock_offset_seconds",
      help: "By how much the engine's clock is ahead of the gateway's, as its replies show; negative: behind; NaN: no reply has shown it yet. Only with an engine in another process.",
      read: () => (clock.offsetMs ?? Number.NaN) / 1000,
    });
  }

  engineWatch(watch: EngineWatch): void {
    gauge(this.#registry, {
      name: "trading_admin_engine_states",
      help: "Engines with separate states that share the requests: 1 is normal, 0 where engines do not identify themselves. Only with an engine in another process.",
      read: () => watch.states,
    });
  }

  /** A transport that does the same and is timed. */
  transport(transport: EngineTransport): EngineTransport {
    return new MeasuredTransport(transport, this.#registry);
  }

  /** An audit sink that does the same and is timed; `working`: whether records can be kept now. */
  audit(sink: AuditSink, working: boolean): MeasuredAudit {
    return new MeasuredAudit(sink, working, this.#registry);
  }

  auditStream(behind: () => number): void {
    gauge(this.#registry, {
      name: "trading_admin_audit_stream_behind_records",
      help: "Audit records in the file that the audit stream does not have yet, and that would be lost with this machine; 0 without a stream.",
      read: behind,
    });
  }

  watch(api: AdminApi): void {
    measureCalls(this.#registry, api);
    measureLink(this.#registry, api);
    measureIncidents(this.#registry, api);
    measureInvalidFields(this.#registry, api);
    measureLogins(this.#registry, api);
    measureStops(this.#registry, api);
  }

  /** Counts FIX sessions from now on; returns what ends it. */
  fixSessions(needs: FixSessionNeeds): () => void {
    const counts = new FixSessionCounts(needs, this.#registry);
    counts.start();
    return () => counts.close();
  }

  keySet(state: () => KeySetState): void {
    gauge(this.#registry, {
      name: "trading_admin_key_set_fetched_timestamp_seconds",
      help: "When the keys of the identity provider were last fetched, in seconds since the epoch; 0: never. Only with token authentication.",
      read: () => (state().fetchedAt ?? 0) / 1000,
    });
    gauge(this.#registry, {
      name: "trading_admin_key_set_expiry_timestamp_seconds",
      help: "Until when the known keys stay valid if the provider does not respond, in seconds since the epoch; 0: none are known. Only with token authentication.",
      read: () => (state().validUntil ?? 0) / 1000,
    });
    gauge(this.#registry, {
      name: "trading_admin_key_set_stale",
      help: "1 while the identity provider does not return its keys and older ones are used, or none are known. Only with token authentication.",
      read: () => (state().stale ? 1 : 0),
    });
  }

  certificate(expiry: () => Date): void {
    gauge(this.#registry, {
      name: "trading_admin_certificate_expiry_timestamp_seconds",
      help: "Until when the active certificate is valid, in seconds since the epoch. Only with HTTPS.",
      read: () => expiry().getTime() / 1000,
    });
  }

  host(availability: Pick<Availability, "accepting">, requests: RequestLog): void {
    gauge(this.#registry, {
      name: "trading_admin_ready",
      help: "1 while the gateway takes requests, 0 before and while it shuts down.",
      read: () => (availability.accepting ? 1 : 0),
    });
    total(this.#registry, {
      name: "trading_admin_log_lines_lost_total",
      help: "Lines about requests that could not be written to the log because its reader is too slow or gone.",
      read: () => requests.lost,
    });
  }

  connections(use: ServerUse): void {
    measureConnections(this.#registry, use);
  }

  /** Measures this process and its event loop until {@link close}. */
  watchProcess(version: string): void {
    measureProcess(this.#registry, version);
    this.#stop = measureEventLoop(this.#registry);
  }

  /** All metrics now. Those who ask at the same time share one response, so that asking much costs little. */
  async exposition(): Promise<Exposition> {
    this.#inProgress ??= this.#registry.metrics().finally(() => {
      this.#inProgress = undefined;
    });
    return { contentType: this.#registry.contentType, text: await this.#inProgress };
  }

  /** Stops what {@link watchProcess} began. */
  close(): void {
    this.#stop();
  }
}

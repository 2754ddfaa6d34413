import { Counter, Gauge, type Registry } from "prom-client";
import type { Availability } from "../actuator/health.ts";
import type { RequestLog } from "../log/request-log.ts";

/** Shows whether the gateway takes requests. */
export function measureReadiness(registry: Registry, availability: Availability): void {
  new Gauge({
    name: "trading_admin_ready",
    help: "1 while the gateway takes requests, 0 before and while it shuts down.",
    registers: [registry],
    collect() {
      this.set(availability.accepting ? 1 : 0);
    },
  });
}

/** Counts what the log of requests lacks. */
export function measureRequestLog(registry: Registry, requests: RequestLog): void {
  new Counter({
    name: "trading_admin_log_lines_lost_total",
    help: "Lines about requests that could not be written to the log, as its reader is too slow or gone.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(requests.lost);
    },
  });
}

/** Shows until when the gateway's own certificate is valid. */
export function measureCertificate(registry: Registry, expiry: () => Date): void {
  new Gauge({
    name: "trading_admin_certificate_expiry_timestamp_seconds",
    help: "Until when the certificate in force is valid, in seconds since the epoch. Only with HTTPS.",
    registers: [registry],
    collect() {
      this.set(expiry().getTime() / 1000);
    },
  });
}

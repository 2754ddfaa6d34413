import { Gauge, type Registry } from "prom-client";

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

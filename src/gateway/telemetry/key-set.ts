import { Gauge, type Registry } from "prom-client";
import type { KeySetState } from "../../auth/token/key-cache.ts";

interface KeySetMetric {
  readonly name: string;
  readonly help: string;
  readonly read: (state: KeySetState) => number;
}

const METRICS: readonly KeySetMetric[] = [
  {
    name: "trading_admin_key_set_fetched_timestamp_seconds",
    help: "When the keys of the identity provider were last fetched, in seconds since the epoch; 0: never. Only with token authentication.",
    read: ({ fetchedAt }) => (fetchedAt ?? 0) / 1000,
  },
  {
    name: "trading_admin_key_set_expiry_timestamp_seconds",
    help: "Until when the known keys stay valid if the provider does not respond, in seconds since the epoch; 0: none are known. Only with token authentication.",
    read: ({ validUntil }) => (validUntil ?? 0) / 1000,
  },
  {
    name: "trading_admin_key_set_stale",
    help: "1 while the identity provider does not give its keys and older ones are used, or none are known. Only with token authentication.",
    read: ({ stale }) => (stale ? 1 : 0),
  },
];

/** Shows how old the keys of the identity provider are. */
export function measureKeySet(registry: Registry, state: () => KeySetState): void {
  for (const { name, help, read } of METRICS) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(state()));
      },
    });
  }
}

import { Counter, Gauge, type Registry } from "prom-client";

/** A metric without labels, whose value is known elsewhere and asked for whenever the metrics are. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** Shows a value that rises and falls. */
export function gauge(registry: Registry, { name, help, read }: ReadMetric): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** Shows a value that only grows. */
export function total(registry: Registry, { name, help, read }: ReadMetric): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

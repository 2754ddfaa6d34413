import { Counter, Gauge, type Registry } from "prom-client";

/** Values of a metric's labels by their names. */
type Labels = Readonly<Record<string, string | number>>;

/** A metric that is known elsewhere and asked for whenever the metrics are. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** The value; with labels, each with its own. */
  readonly read: () => number | readonly (readonly [labels: Labels, value: number])[];
}

/** Shows what rises and falls. */
export function gauge(registry: Registry, { read, labelNames = [], ...metric }: ReadMetric): void {
  new Gauge({
    ...metric,
    labelNames,
    registers: [registry],
    collect() {
      // What had a value before and has none now must not keep it.
      if (labelNames.length > 0) this.reset();
      for (const [labels, value] of valuesOf(read)) this.set(labels, value);
    },
  });
}

/** Shows what only grows. */
export function total(registry: Registry, { read, labelNames = [], ...metric }: ReadMetric): void {
  new Counter({
    ...metric,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of valuesOf(read)) this.inc(labels, value);
    },
  });
}

function valuesOf(read: ReadMetric["read"]): readonly (readonly [labels: Labels, value: number])[] {
  const values = read();
  return typeof values === "number" ? [[{}, values]] : values;
}

/** What {@link eventCounter} counts. */
interface CountedBy<L extends Labels> {
  readonly name: string;
  readonly help: string;
  /** Labels that an event can have: these series are there from the start, at 0, so that an alert on their increase sees the first. */
  readonly known: readonly L[];
}

/** Counts events by their labels; the returned function counts one, or several. */
export function eventCounter<L extends Labels>(
  registry: Registry,
  { known, ...metric }: CountedBy<L>,
): (labels: L, count?: number) => void {
  const counter = new Counter({ ...metric, labelNames: Object.keys(known[0] ?? {}), registers: [registry] });
  for (const labels of known) counter.inc(labels, 0);
  return (labels, count = 1) => counter.inc(labels, count);
}

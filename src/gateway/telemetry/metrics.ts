import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Upper bounds in seconds for what takes from a millisecond to the ten seconds of convention 6. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

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

interface Durations<L extends string> {
  /** Ends in `_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Every value of the label; each has its series from the start. */
  readonly values: readonly L[];
}

/** Measures durations by one label; the returned function adds one, in milliseconds. */
export function durationsBy<L extends string>(
  registry: Registry,
  { label, values, ...metric }: Durations<L>,
): (value: L, milliseconds: number) => void {
  const histogram = new Histogram({
    ...metric,
    labelNames: [label],
    buckets: [...LATENCY_BUCKETS],
    registers: [registry],
  });
  for (const value of values) histogram.zero({ [label]: value });
  return (value, milliseconds) => histogram.observe({ [label]: value }, milliseconds / 1000);
}

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "prom-client";
import { gauge } from "./metrics.ts";

/** How often the loop is looked at. */
const RESOLUTION_MS = 20;

/** A stall stays visible for one to two of these, however often it is scraped. */
const WINDOW_MS = 60_000;

/** Seconds by name, from the nanoseconds that Node reports. */
type Delays = Readonly<Record<"median" | "p99" | "max", number>>;

const NONE: Delays = { median: 0, p99: 0, max: 0 };

/**
 * Shows by how much the event loop was late. prom-client's own metric cannot be stopped and forgets with every scrape, so
 * that two Prometheus servers would hide stalls from each other. Returns what stops it.
 */
export function measureEventLoop(registry: Registry): () => void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let before = NONE;
  gauge(registry, {
    name: "trading_admin_event_loop_delay_seconds",
    help: "By how much the event loop was late in the last one to two minutes: median, p99, and the longest stall.",
    labelNames: ["statistic"],
    read: () =>
      Object.entries(delays(histogram)).map(([statistic, seconds]) => [
        { statistic },
        Math.max(before[statistic as keyof Delays], seconds),
      ]),
  });
  const windows = setInterval(() => {
    before = delays(histogram);
    histogram.reset();
  }, WINDOW_MS).unref();
  histogram.enable();
  return () => {
    clearInterval(windows);
    histogram.disable();
  };
}

function delays(histogram: IntervalHistogram): Delays {
  if (histogram.count === 0) return NONE;
  return {
    median: beyondPause(histogram.percentile(50)),
    p99: beyondPause(histogram.percentile(99)),
    max: beyondPause(histogram.max),
  };
}

/** Node counts the pause between two looks in. */
function beyondPause(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}

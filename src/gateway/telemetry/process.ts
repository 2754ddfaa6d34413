import { readdirSync, statSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "prom-client";
import { gauge, type ReadMetric, total } from "./metrics.ts";

/** Under the names that Prometheus client libraries have agreed on. */
const GAUGES: readonly ReadMetric[] = [
  {
    name: "process_start_time_seconds",
    help: "When the process started, in seconds since the epoch.",
    read: () => performance.timeOrigin / 1000,
  },
  {
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process.",
    read: () => process.memoryUsage.rss(),
  },
  { name: "process_open_fds", help: "Open file descriptors of the process (Linux).", read: openDescriptors },
  {
    name: "nodejs_heap_size_used_bytes",
    help: "Heap of the JavaScript engine in use.",
    read: () => process.memoryUsage().heapUsed,
  },
  {
    name: "nodejs_heap_size_total_bytes",
    help: "Heap of the JavaScript engine.",
    read: () => process.memoryUsage().heapTotal,
  },
];

/**
 * Shows what the process uses, and which version runs. prom-client's own collection of these cannot be stopped: it leaves a
 * timer and an observer behind for each gateway that was started in a process.
 */
export function measureProcess(registry: Registry, version: string): void {
  // Only Linux says which descriptors are open.
  for (const metric of GAUGES) if (!Number.isNaN(metric.read())) gauge(registry, metric);
  total(registry, {
    name: "process_cpu_seconds_total",
    help: "Processor time of the process, user and system.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  gauge(registry, {
    name: "trading_admin_build_info",
    help: "Always 1; the labels say which version runs, on which Node.js.",
    labelNames: ["version", "node"],
    read: () => [[{ version, node: process.versions.node }, 1]],
  });
}

/** Not a number where the platform does not say. */
function openDescriptors(): number {
  try {
    // Linux 6.2 and later count them in the size of the folder; to list thousands takes milliseconds.
    return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length;
  } catch {
    return Number.NaN;
  }
}

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

import { readdirSync } from "node:fs";
import { Counter, Gauge, type Registry } from "prom-client";

interface ProcessMetric {
  readonly name: string;
  readonly help: string;
  /** Undefined where the platform does not say. */
  readonly read: () => number | undefined;
}

/** Under the names that Prometheus client libraries have agreed on. */
const GAUGES: readonly ProcessMetric[] = [
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
  const registers = [registry];
  for (const { name, help, read } of GAUGES) {
    if (read() === undefined) continue;
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read() ?? Number.NaN);
      },
    });
  }
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of the process, user and system.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: "trading_admin_build_info",
    help: "Always 1; the labels say which version runs, on which Node.js.",
    labelNames: ["version", "node"],
    registers,
  }).set({ version, node: process.versions.node }, 1);
}

function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    // Only Linux has this folder.
    return undefined;
  }
}

import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { Settings } from "../../config/settings.ts";
import { asksForHttps } from "../https/ssl-settings.ts";
import { MAX_IDLE } from "../proxy/connections.ts";
import { HANDSHAKES_PART } from "./handshakes.ts";

/** Descriptors besides callers' connections: files, the links to the engine, the directory, DNS. */
const RESERVED = 128;

/** Connections of the management port, where it is a separate one. */
export const MANAGEMENT_CONNECTIONS = 64;

/** The limit on open connections, and a warning for the operator. */
export interface ConnectionCapacity {
  /** `server.max-connections`, or fewer if the operating system allows fewer. */
  readonly connections: number;
  readonly warning: string | undefined;
}

/** Memory for each connection: one with four small responses that are not taken has 42 KB of heap, for which Node uses half of the memory. */
const MEMORY_EACH = 128 * 1024;

const MIB = 1024 * 1024;

/** Memory for all else: the program, what callers may hold besides, the links; half of what there is where that is less. */
const MEMORY_BESIDES = 256 * MIB;

/** What the operating system allows this process; undefined where it is unknown or without limit. */
export interface SystemLimits {
  readonly openFiles: number | undefined;
  /** Bytes. */
  readonly memory: number | undefined;
}

/**
 * The connections that the limits on open files and memory allow; above the first, accepting one would fail, above the second the process would
 * be killed.
 */
export function connectionCapacity(settings: Settings, limits: SystemLimits): ConnectionCapacity {
  const wanted = settings["server.max-connections"];
  const [files, memory] = [fileBound(settings, limits.openFiles), memoryBound(wanted, limits.memory)];
  const { fitting, given, enough } = files.fitting <= memory.fitting ? files : memory;
  const connections = Math.max(1, fitting);
  if (wanted <= connections) return { connections: wanted, warning: undefined };
  const warning =
    `server.max-connections is ${wanted}, but the process may ${given} only, so that ${connections} connections fit; raise the limit ` +
    `to ${enough}, or lower server.max-connections`;
  return { connections, warning };
}

/** What one limit allows. */
interface Bound {
  readonly fitting: number;
  /** What the process may do, and what it would have to be, in words. */
  readonly given: string;
  readonly enough: string;
}

/**
 * With a monitor, each connection needs a second descriptor, for the connection to the monitor, of which some are kept idle; with TLS, others
 * are in a handshake.
 */
function fileBound(settings: Settings, openFiles = Number.POSITIVE_INFINITY): Bound {
  const hasMonitor = settings["gateway.monitor.url"] !== undefined;
  const hasManagement = settings["management.server.port"] !== undefined;
  const reserved = RESERVED + (hasMonitor ? MAX_IDLE : 0) + (hasManagement ? MANAGEMENT_CONNECTIONS : 0);
  const each = 1 + (hasMonitor ? 1 : 0) + (asksForHttps(settings) ? HANDSHAKES_PART : 0);
  const needed = Math.ceil(settings["server.max-connections"] * each) + reserved;
  return {
    fitting: Math.floor((openFiles - reserved) / each),
    given: `open ${openFiles} files and sockets`,
    enough: `${needed} (ulimit -n, LimitNOFILE of systemd)`,
  };
}

function memoryBound(wanted: number, memory = Number.POSITIVE_INFINITY): Bound {
  return {
    fitting: Math.floor(Math.max(memory / 2, memory - MEMORY_BESIDES) / MEMORY_EACH),
    given: `use ${Math.floor(memory / MIB)} MiB of memory`,
    enough: `${Math.ceil((wanted * MEMORY_EACH + MEMORY_BESIDES) / MIB)} MiB`,
  };
}

/** Limits of this process. */
export function systemLimits(): SystemLimits {
  const memory = process.constrainedMemory();
  return { openFiles: openFileLimit(), memory: memory > 0 && memory < totalmem() ? memory : undefined };
}

/** Limit on open files and sockets of this process (soft `RLIMIT_NOFILE`); undefined without one, or if not on Linux. */
export function openFileLimit(limits = "/proc/self/limits"): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(limits, "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

import { readFileSync } from "node:fs";
import type { Settings } from "../../config/settings.ts";
import { asksForHttps } from "../https/ssl-settings.ts";
import { MAX_IDLE } from "../proxy/connections.ts";
import { HANDSHAKES_PART } from "./handshakes.ts";

/** Descriptors besides callers' connections: files, the links to the engine, the directory, DNS. */
const RESERVED = 128;

/** The limit on open connections, and a warning for the operator. */
export interface ConnectionCapacity {
  /** `server.max-connections`, or fewer if the operating system allows fewer. */
  readonly connections: number;
  readonly warning: string | undefined;
}

/**
 * The connections that the limit on open files allows; above it, accepting one would fail. With a monitor, each needs a second
 * descriptor, for the connection to the monitor, of which some are kept idle; with TLS, others are in a handshake. `openFiles` is
 * undefined if the limit is unknown.
 */
export function connectionCapacity(settings: Settings, openFiles: number | undefined): ConnectionCapacity {
  const wanted = settings["server.max-connections"];
  const hasMonitor = settings["gateway.monitor.url"] !== undefined;
  const reserved = RESERVED + (hasMonitor ? MAX_IDLE : 0);
  const each = 1 + (hasMonitor ? 1 : 0) + (asksForHttps(settings) ? HANDSHAKES_PART : 0);
  const fitting = Math.max(1, Math.floor(((openFiles ?? Number.POSITIVE_INFINITY) - reserved) / each));
  if (wanted <= fitting) return { connections: wanted, warning: undefined };
  const needed = Math.ceil(wanted * each) + reserved;
  const warning =
    `server.max-connections is ${wanted}, but the process may open ${openFiles} files and sockets only, so that ${fitting} connections ` +
    `fit; raise the limit to ${needed} (ulimit -n, LimitNOFILE of systemd), or lower server.max-connections`;
  return { connections: fitting, warning };
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

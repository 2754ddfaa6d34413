import { readFileSync } from "node:fs";
import type { Settings } from "../../config/settings.ts";

/** Descriptors for what is no connection of a caller: files, the links to the engine, the directory, DNS. */
const RESERVED = 128;

/** How many connections can be open at once, and what an operator should know of it. */
export interface ConnectionCapacity {
  /** `server.max-connections`, or fewer where the operating system does not let the process have as many. */
  readonly connections: number;
  readonly warning: string | undefined;
}

/**
 * The connections that fit into what the process may open; beyond that, accepting one would fail. With a monitor each takes a
 * second descriptor, for the connection to the monitor. `openFiles` is undefined when the limit is not known.
 */
export function connectionCapacity(settings: Settings, openFiles: number | undefined): ConnectionCapacity {
  const wanted = settings["server.max-connections"];
  const each = settings["gateway.monitor.url"] === undefined ? 1 : 2;
  const fitting = Math.max(1, Math.floor(((openFiles ?? Number.POSITIVE_INFINITY) - RESERVED) / each));
  if (wanted <= fitting) return { connections: wanted, warning: undefined };
  const needed = wanted * each + RESERVED;
  const warning =
    `server.max-connections is ${wanted}, but the process may open ${openFiles} files and sockets only, so that ${fitting} connections ` +
    `fit; raise the limit to ${needed} (ulimit -n, LimitNOFILE of systemd), or lower server.max-connections`;
  return { connections: fitting, warning };
}

/** Files and sockets that this process may have open (soft `RLIMIT_NOFILE`); undefined where that is not known: not Linux, or no limit. */
export function openFileLimit(limits = "/proc/self/limits"): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(limits, "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

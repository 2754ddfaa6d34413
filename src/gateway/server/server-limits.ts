import type { ServerOptions } from "node:http";
import type { Settings } from "../../config/settings.ts";

export interface ServerLimits {
  /** Milliseconds for the request line and headers. */
  readonly headerMs: number;
  /** Milliseconds for a whole request, including its body. */
  readonly requestMs: number;
  /** Idle timeout between two requests, in milliseconds. */
  readonly keepAliveMs: number;
  /** Idle timeout during a request, in milliseconds. */
  readonly stallMs: number;
  /** Bytes of the request line and headers. */
  readonly maxHeaderBytes: number;
  /** Characters of the target of a request. */
  readonly maxTargetLength: number;
  readonly maxConnections: number;
}

/** Interval of timeout checks: a tenth of the shortest timeout, within bounds. Node ends all whose time is over in one piece. */
const MIN_CHECK_MS = 50;
const MAX_CHECK_MS = 100;

export function serverLimits(settings: Settings): ServerLimits {
  return {
    headerMs: settings["server.header-timeout"],
    requestMs: settings["server.request-timeout"],
    keepAliveMs: settings["server.keep-alive-timeout"],
    stallMs: settings["server.stall-timeout"],
    maxHeaderBytes: settings["server.max-http-request-header-size"],
    maxTargetLength: settings["server.max-url-length"],
    maxConnections: settings["server.max-connections"],
  };
}

/** The limits that Node enforces, as options of its servers. */
export function nodeLimits({ headerMs, requestMs, keepAliveMs, maxHeaderBytes }: ServerLimits): ServerOptions {
  const shortest = Math.min(headerMs, requestMs);
  return {
    headersTimeout: Math.min(headerMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, shortest / 10)),
    maxHeaderSize: maxHeaderBytes,
  };
}

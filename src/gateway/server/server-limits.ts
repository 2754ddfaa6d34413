import type { ServerOptions } from "node:http";
import type { Settings } from "../../config/settings.ts";

/** What a server grants to slow and large clients. */
export interface ServerLimits {
  /** Milliseconds for the request line and headers. */
  readonly headerMs: number;
  /** Milliseconds for a whole request, its body included. */
  readonly requestMs: number;
  /** Milliseconds that a connection may be idle between two requests. */
  readonly keepAliveMs: number;
  /** Milliseconds that nothing may move on a connection while a request is under way. */
  readonly stallMs: number;
  /** Bytes of the request line and headers. */
  readonly maxHeaderBytes: number;
  /** Characters of the target of a request. */
  readonly maxTargetLength: number;
  readonly maxConnections: number;
}

/** How often times that are over are noticed; the tenth of the shortest, but not all the time. */
const MIN_CHECK_MS = 50;
const MAX_CHECK_MS = 1_000;

/** The limits that the settings ask for. */
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

/** The limits that Node keeps, as options of its servers. */
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

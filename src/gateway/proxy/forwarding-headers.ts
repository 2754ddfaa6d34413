import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { hostInUrl } from "../../core/urls.ts";
import type { TrustedProxies } from "../../http/admin-http-options.ts";
import { type CallerAddresses, peerAddress } from "../../http/client-address.ts";

/** Trusted proxies, and the header that they write. */
export interface Forwarding {
  readonly callers: CallerAddresses;
  readonly header: NonNullable<TrustedProxies["header"]>;
}

/** Headers from which some servers take caller, address or path of the request. */
const TELLING = new Set(["forwarded", "x-real-ip", "x-original-url", "x-rewrite-url"]);

/** Whether a header names origin or target of a request. `_` counts as `-`, since CGI does not distinguish them. */
export function isTelling(name: string): boolean {
  const dashed = name.includes("_") ? name.replaceAll("_", "-") : name;
  return dashed.startsWith("x-forwarded-") || TELLING.has(dashed);
}

/** Whether a forwarding header of a trusted proxy is passed on: those that belong to the header it writes. */
export function isBelieved(name: string, { header }: Forwarding): boolean {
  if (name.includes("_") || name === "x-real-ip") return false;
  if (name === "forwarded") return header === "Forwarded";
  return header === "X-Forwarded-For" || !name.startsWith("x-forwarded-");
}

/**
 * Adds the headers that name the caller to the monitor. The chain of a trusted proxy is continued; `headers` has none of other
 * senders.
 */
export function addForwardingHeaders(
  headers: OutgoingHttpHeaders,
  { socket, headers: received }: IncomingMessage,
  host: string,
  { callers, header }: Forwarding,
): void {
  const remoteAddress = peerAddress(socket);
  const peer = callers.peer(remoteAddress).address ?? "unknown";
  const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  headers["x-real-ip"] = callers.callerOf(remoteAddress, (name) => received[name]?.toString()) ?? "unknown";
  if (header === "Forwarded") {
    const element = `for=${quoted(hostInUrl(peer))};host=${quoted(host)};proto=${scheme}`;
    headers.forwarded = joined(headers.forwarded, element);
  } else {
    headers["x-forwarded-for"] = joined(headers["x-forwarded-for"], peer);
    headers["x-forwarded-host"] ??= host;
    headers["x-forwarded-port"] ??= String(socket.localPort);
    headers["x-forwarded-proto"] ??= scheme;
  }
}

function joined(before: OutgoingHttpHeaders[string], last: string): string {
  return before ? `${before}, ${last}` : last;
}

/** A token as it is, anything else in quotes (RFC 7239 section 4). */
function quoted(text: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

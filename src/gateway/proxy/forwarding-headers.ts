import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { hostInUrl } from "../../core/loopback.ts";
import { type CallerAddresses, peerAddress, type TrustedProxies } from "../../http/client-address.ts";

/** Who may say from where a request comes, and in which words. */
export interface Forwarding {
  readonly callers: CallerAddresses;
  readonly header: NonNullable<TrustedProxies["header"]>;
}

/** Headers from which some server takes the caller, the address or the path of the request. */
const TELLING = new Set(["forwarded", "x-real-ip", "x-original-url", "x-rewrite-url"]);

/** Whether a header says where a request comes from, or where it goes to. `_` counts as `-`: CGI and its like mix them up. */
export function isTelling(name: string): boolean {
  const dashed = name.includes("_") ? name.replaceAll("_", "-") : name;
  return dashed.startsWith("x-forwarded-") || TELLING.has(dashed);
}

/** Whether a telling header of a trusted proxy is handed on: those that go with the header it writes. */
export function isBelieved(name: string, { header }: Forwarding): boolean {
  if (name.includes("_") || name === "x-real-ip") return false;
  if (name === "forwarded") return header === "Forwarded";
  return header === "X-Forwarded-For" || !name.startsWith("x-forwarded-");
}

/**
 * Adds the headers that tell the monitor who the caller is. What a trusted proxy said is continued; what others said is not
 * among `headers` any more.
 */
export function addForwardingHeaders(
  headers: OutgoingHttpHeaders,
  { socket, headers: asked }: IncomingMessage,
  host: string,
  { callers, header }: Forwarding,
): void {
  const remoteAddress = peerAddress(socket);
  const peer = callers.peer(remoteAddress).address ?? "unknown";
  const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  headers["x-real-ip"] = callers.callerOf(remoteAddress, (name) => asked[name]?.toString()) ?? "unknown";
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

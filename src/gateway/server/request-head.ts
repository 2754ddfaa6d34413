import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { AdminError } from "../../core/errors.ts";
import { fieldsFault, headerValue, hostFault } from "../../http/headers.ts";

/** Takes over a connection whose client asks for another protocol, with the bytes after its request; false to decline. */
export type UpgradeListener = (request: IncomingMessage, socket: Socket, head: Buffer) => boolean;

/** Whether a request asks for a WebSocket only (RFC 6455 section 4.1). */
export function asksForWebSocket(request: IncomingMessage): boolean {
  const { method, headers, rawHeaders } = request;
  const host = headerValue(rawHeaders, "host");
  const hasBody = (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
  const isSound = host !== undefined && hostFault(host) === undefined && fieldsFault(request) === undefined;
  return method === "GET" && !hasBody && isSound && headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * The bytes of a request without its `Upgrade`, followed by the bytes after it. A server may ignore `Upgrade` (RFC 9110 section 7.8),
 * but with a listener for upgrades Node leaves the rest of such a request unread, whatever its protocol; Java's client asks for
 * `h2c` in each first request, also with a body.
 */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]];
    const kept = name.toLowerCase() === "connection" ? withoutOptions(value) : value;
    if (!/^(?:upgrade|http2-settings)$/i.test(name) && kept !== undefined) lines.push(`${name}: ${kept}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]);
}

function withoutOptions(connection: string): string | undefined {
  const options = connection.split(",").filter((option) => !/^\s*(?:upgrade|http2-settings)\s*$/i.test(option));
  return options.length > 0 ? options.join(",") : undefined;
}

/** The fault of a request's head that Node lets pass (HTTP/1.1 requires a `Host`, RFC 9112 section 3.2), or undefined. */
export function headFault(request: IncomingMessage, maxLength: number): AdminError | undefined {
  const { httpVersion, rawHeaders, url = "" } = request;
  const fault = fieldsFault(request);
  if (fault) return fault;
  const host = headerValue(rawHeaders, "host");
  if (host === undefined && httpVersion === "1.1") return new AdminError("BAD_REQUEST", "The header Host is missing");
  if (url.length <= maxLength) return hostFault(host);
  return new AdminError("TARGET_TOO_LONG", `The path with its query is longer than ${maxLength} characters`);
}

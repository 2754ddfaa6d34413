import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hostFault } from "./host-header.ts";

/** Takes over a connection whose client asks for another protocol, with what has come after its request; false if not. */
export type UpgradeListener = (request: IncomingMessage, socket: Socket, head: Buffer) => boolean;

/** Whether a request asks for a WebSocket, and nothing else (RFC 6455 section 4.1). */
export function asksForWebSocket(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const hasBody = (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
  const isForOneHost = headers.host !== undefined && hostFault(request) === undefined;
  return method === "GET" && !hasBody && isForOneHost && headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * The bytes of a request as if no other protocol had been asked for, followed by what has come after it. A server may ignore
 * `Upgrade` (RFC 9110 section 7.8), but once it listens for upgrades Node leaves the rest of such a request unread, whatever
 * protocol it names; Java's client names `h2c` in each first request, also with a body.
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

/** Calls `then` when all answers under way on a connection are written; never if it breaks before. */
export function whenAnswered(underWay: ReadonlySet<ServerResponse>, then: () => void): void {
  const last = [...underWay].at(-1);
  if (last) last.once("close", () => whenAnswered(underWay, then));
  else then();
}

function withoutOptions(connection: string): string | undefined {
  const options = connection.split(",").filter((option) => !/^\s*(?:upgrade|http2-settings)\s*$/i.test(option));
  return options.length > 0 ? options.join(",") : undefined;
}

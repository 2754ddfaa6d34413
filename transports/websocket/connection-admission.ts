import { createHash, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";

/** Refusal of a connection: HTTP status and message. */
export interface ConnectionRefusal {
  readonly status: number;
  readonly message: string;
}

/** Access check for connections to an engine: no browsers, valid token, supported subprotocol. */
export class ConnectionAdmission {
  readonly #digest: Buffer | undefined;

  constructor(token: string | undefined) {
    if (token === "") throw new TypeError("The token that gateways must send must not be empty");
    this.#digest = token === undefined ? undefined : digest(token);
  }

  /** Undefined for a request that may be upgraded. */
  check({ headers }: IncomingMessage): ConnectionRefusal | undefined {
    // Only browsers send it, on behalf of any open page.
    if (headers.origin !== undefined) return { status: 403, message: "Browsers may not connect to an engine" };
    if (!this.#knows(headers.authorization)) {
      return { status: 401, message: "The engine asks for a token, sent as Authorization: Bearer" };
    }
    if (offered(headers["sec-websocket-protocol"]).includes(CONTRACT_NAME)) return undefined;
    return { status: 400, message: `The subprotocol must be ${CONTRACT_NAME}` };
  }

  #knows(authorization: string | undefined): boolean {
    if (!this.#digest) return true;
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
    return timingSafeEqual(digest(token), this.#digest);
  }
}

/** Refuses an upgrade. */
export function refuseUpgrade(socket: Duplex, { status, message }: ConnectionRefusal): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(message)}`,
    ...(status === 401 ? ["WWW-Authenticate: Bearer"] : []),
  ];
  // A client that disconnects early misses nothing.
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${message}`);
}

/** Of fixed length, for a constant-time comparison. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function offered(header: string | undefined): readonly string[] {
  return (header ?? "").split(",").map((name) => name.trim());
}

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AdminError } from "../../core/errors.ts";
import type { HttpResponse } from "../../http/message.ts";
import { refusal } from "../../http/responses.ts";
import { headFault } from "./request-head.ts";

/** Closes the connection after the response. */
const CLOSING = { Connection: "close" };

/** Input that never becomes a request of the API: refused in the API's own shape (decision D-HTTP 2), and counted. */
export class RefusedInput {
  readonly #maxTargetLength: number;
  readonly #counts = new Map<number, number>();

  constructor(maxTargetLength: number) {
    this.#maxTargetLength = maxTargetLength;
  }

  get counts(): ReadonlyMap<number, number> {
    return this.#counts;
  }

  /** The refusal of a request with a fault that Node lets pass, counted; undefined for any other. */
  refusalOf(request: IncomingMessage): HttpResponse | undefined {
    const fault = headFault(request, this.#maxTargetLength);
    return fault && this.#refusal(fault);
  }

  /**
   * Ends a connection over which something came that Node does not take for a request; `inProgress` has its responses, undefined for a
   * handshake that failed.
   */
  end(socket: Socket, { code }: NodeJS.ErrnoException, inProgress: ReadonlySet<ServerResponse> | undefined): void {
    // The peer of a failed handshake would not understand a response.
    if (inProgress === undefined) return void socket.destroy();
    const [first, ...others] = inProgress;
    const isForFirst = others.length === 0 && first?.req.complete === false && !first.headersSent;
    // Unless the body of the only request is malformed, the refusal would be taken for the response to an earlier one.
    if (code === "ECONNRESET" || !socket.writable || (first && !isForFirst)) socket.destroy();
    else socket.end(printed(this.#refusal(malformedRequest(code))));
  }

  #refusal(error: AdminError): HttpResponse {
    this.#counts.set(error.status, (this.#counts.get(error.status) ?? 0) + 1);
    return refusal(error, CLOSING);
  }
}

/** Code of Node's error for a request whose time is over. */
export const TIME_IS_OVER = "ERR_HTTP_REQUEST_TIMEOUT";

function malformedRequest(code: string | undefined): AdminError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new AdminError("HEADERS_TOO_LARGE", "The request line and headers are too large");
  }
  if (code === TIME_IS_OVER) {
    return new AdminError("REQUEST_TIMEOUT", "The request did not arrive completely in time");
  }
  return new AdminError("BAD_REQUEST", "The request is not valid HTTP");
}

function printed({ status, headers, body }: HttpResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

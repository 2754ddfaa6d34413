import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AdminError } from "../core/errors.ts";
import type { HttpResponse } from "../http/message.ts";
import { deferContinue, type NodeListener } from "../http/node.ts";
import { writeAnswer } from "../http/node-messages.ts";
import { refusal } from "../http/responses.ts";

/** Why the gateway cannot listen; the message is for the operator. */
export class ListenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ListenError";
  }
}

/** After such an answer the connection is closed. */
const CLOSING = { Connection: "close" };

/** The HTTP server. Requests that are no HTTP get an answer in the API's own shape (decision D-HTTP 2). */
export class GatewayServer {
  readonly #http: Server;
  /** What is being answered on each connection, in the order of the requests. */
  readonly #underWay = new Map<Socket, Set<ServerResponse>>();

  constructor(listener: NodeListener) {
    const serve: NodeListener = (request, response) => {
      // While the server closes, connections end with what is under way on them.
      if (!this.#http.listening) return;
      this.#track(request.socket, response);
      if (request.httpVersion === "1.1" && request.headers.host === undefined) {
        writeAnswer(request, response, refusal(new AdminError("BAD_REQUEST", "The header Host is missing"), CLOSING));
      } else {
        listener(request, response);
      }
    };
    // Node would answer for a missing Host and for expectations by itself, in a shape of its own. The listener asks for
    // the body when it wants it: a refused upload is not sent at all.
    this.#http = createServer({ requireHostHeader: false }, serve);
    this.#http.on("checkContinue", deferContinue(serve));
    this.#http.on("checkExpectation", serve);
    this.#http.on("clientError", (error, stream) => this.#refuse(stream as Socket, error));
    this.#http.on("connection", (socket) => {
      this.#underWay.set(socket, new Set());
      socket.once("close", () => this.#underWay.delete(socket));
    });
  }

  /** Listens and answers the port. Rejects with {@link ListenError}. */
  listen(port: number, address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#http.once("error", (cause: NodeJS.ErrnoException) => {
        reject(new ListenError(`Cannot listen on ${address}:${port}: ${listenReason(cause)}`, { cause }));
      });
      this.#http.listen(port, address, () => resolve((this.#http.address() as AddressInfo).port));
    });
  }

  /** Stops listening and lets requests under way finish, for at most `patienceMs`. */
  close(patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const impatience = setTimeout(() => this.#http.closeAllConnections(), patienceMs);
      this.#http.close(() => {
        clearTimeout(impatience);
        resolve();
      });
      for (const [socket, responses] of this.#underWay) {
        const last = [...responses].at(-1);
        if (!last) socket.destroy();
        else if (!last.headersSent) last.setHeader("Connection", "close");
      }
    });
  }

  #track(socket: Socket, response: ServerResponse): void {
    const responses = this.#underWay.get(socket);
    responses?.add(response);
    response.once("close", () => {
      responses?.delete(response);
      if (responses?.size === 0 && !this.#http.listening) socket.end();
    });
  }

  #refuse(socket: Socket, { code }: NodeJS.ErrnoException): void {
    const [first, ...others] = this.#underWay.get(socket) ?? [];
    const isForFirst = others.length === 0 && first?.req.complete === false && !first.headersSent;
    // Unless it is the body of the only request that is broken, a refusal would be taken for the answer to an earlier one.
    if (code === "ECONNRESET" || !socket.writable || (first && !isForFirst)) socket.destroy();
    else socket.end(printed(refusal(malformedRequest(code), CLOSING)));
  }
}

function malformedRequest(code: string | undefined): AdminError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new AdminError("HEADERS_TOO_LARGE", "The request line and headers are too large");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new AdminError("REQUEST_TIMEOUT", "The request did not arrive completely in time");
  }
  return new AdminError("BAD_REQUEST", "The request is not valid HTTP");
}

function printed({ status, headers, body }: HttpResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

function listenReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "the port is in use; stop the other program or set server.port";
  if (code === "EACCES") return "not permitted; use a port above 1023 for server.port";
  if (code === "EADDRNOTAVAIL") return "this machine has no such address; set server.address";
  return message;
}

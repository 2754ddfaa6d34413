import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AdminError } from "../core/errors.ts";
import type { NodeListener } from "../http/node.ts";

/** Why the gateway cannot listen; the message is for the operator. */
export class ListenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ListenError";
  }
}

/** Makes the HTTP server. Requests that are no HTTP get an answer in the API's own shape (decision D-HTTP 2). */
export function createGatewayServer(listener: NodeListener): Server {
  const answering = new WeakMap<Socket, number>();
  const counted: NodeListener = (request, response) => {
    const { socket } = request;
    answering.set(socket, (answering.get(socket) ?? 0) + 1);
    response.once("close", () => answering.set(socket, (answering.get(socket) ?? 1) - 1));
    listener(request, response);
  };
  const server = createServer(counted);
  // The listener asks for the body when it wants it: a refused upload is not sent at all.
  server.on("checkContinue", counted);
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // A refusal now would be taken for the answer to an earlier request on this connection.
    if (error.code === "ECONNRESET" || !socket.writable || answering.get(socket)) socket.destroy();
    else refuse(socket, malformedRequest(error.code));
  });
  return server;
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

function refuse(socket: Socket, refusal: AdminError): void {
  const body = JSON.stringify(refusal);
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    "Connection: close",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Listens and answers the port. Rejects with {@link ListenError}. */
export function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      reject(new ListenError(`Cannot listen on ${address}:${port}: ${listenReason(cause)}`, { cause }));
    });
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

function listenReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "the port is in use; stop the other program or set server.port";
  if (code === "EACCES") return "not permitted; use a port above 1023 for server.port";
  if (code === "EADDRNOTAVAIL") return "this machine has no such address; set server.address";
  return message;
}

/** Stops listening and lets requests under way finish, for at most `patienceMs`. */
export function closeServer(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), patienceMs);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { serverOf, takeOverWhenComplete } from "./node-internals.ts";

/**
 * Keeps what a client sends after a request whose `Upgrade` is ignored, as a server may (RFC 9110 section 7.8). Where nobody
 * listens for upgrades, Node serves such a request as any other, but drops what arrives in one piece with its end: the next
 * request. It hands these bytes over when the request passes for an upgrade; so it does, once it is complete, and the
 * connection is served again from there on. Java's client asks for `h2c` with the first request of each connection.
 *
 * Call it in the `request` event: later the bytes may be gone.
 */
export function keepNextRequest(request: IncomingMessage, response: ServerResponse): void {
  const server = serverOf(request.socket);
  // With such a listener the host decides about upgrades.
  if (!server || server.listenerCount("upgrade") > 0) return;
  takeOverWhenComplete(request, server, (_request, socket, next) => {
    const leave = watch(socket);
    whenClosed(response, () => {
      leave();
      serveAgain(server, socket, next);
    });
  });
}

/** Serves a connection from these bytes on; without any, when there are some. */
function serveAgain(server: Server, socket: Socket, bytes: Buffer): void {
  if (!server.listening || socket.destroyed || socket.writableEnded) {
    socket.destroy();
    return;
  }
  if (bytes.length > 0) socket.unshift(bytes);
  const leave = watch(socket);
  // Not before: a new connection that sends nothing is late with its request, an idle one is not.
  socket.once("readable", () => {
    leave();
    socket.setTimeout(0);
    server.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
  });
}

/** Closes a connection that breaks or is silent for too long while Node does not look after it. */
function watch(socket: Socket): () => void {
  const close = (): void => void socket.destroy();
  socket.on("error", close).on("timeout", close);
  return () => void socket.off("error", close).off("timeout", close);
}

/** Calls `then` once the response is closed, whether all of it was written or not. */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once("close", then);
}

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { guardAgain } from "./guard/guard-server.ts";
import { serverOf, takeOverWhenComplete } from "./guard/node-internals.ts";
import { headerValue } from "./headers.ts";
import { whenClosed } from "./when-closed.ts";

/**
 * What the parser of Node takes for the option `upgrade` in `Connection` or `Proxy-Connection`, which it needs besides `Upgrade`; llhttp
 * before 9.4.2, that of Node 20, does not if a tab follows.
 */
const UPGRADE_OPTION = /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i;

/**
 * Keeps the bytes that follow a request whose `Upgrade` is ignored, as a server may (RFC 9110 section 7.8). Without a listener for
 * upgrades, Node serves such a request like any other, but drops the bytes that arrive in one piece with its end: the next request. It
 * hands them over if the request looks like an upgrade; so it does, once it is complete, and the connection is served again from there.
 * Java's client asks for `h2c` with the first request of each connection.
 *
 * Call it for a request with `Upgrade`, in the `request` event: later, the bytes may be lost.
 */
export function keepNextRequest(request: IncomingMessage, response: ServerResponse): void {
  if (!headerValue(request.rawHeaders, "upgrade")) return;
  const { connection = "", "proxy-connection": proxyConnection = "" } = request.headers;
  // The parser stops behind an upgrade only. Behind any other request it may have read a part of the next one, which would be lost.
  if (!UPGRADE_OPTION.test(`${connection},${proxyConnection}`)) return;
  const server = serverOf(request.socket);
  // With such a listener the host decides about upgrades.
  if (!server || server.listenerCount("upgrade") > 0) return;
  takeOverWhenComplete(request, server, (_request, socket, next) => {
    const leave = watch(socket);
    whenClosed(request, response, () => {
      leave();
      serveAgain(server, socket, next);
    });
  });
}

/** Serves a connection again, beginning with `bytes`, or with the next that arrive. */
function serveAgain(server: Server, socket: Socket, bytes: Buffer): void {
  if (!server.listening || socket.destroyed || socket.writableEnded) {
    socket.destroy();
    return;
  }
  if (bytes.length > 0) socket.unshift(bytes);
  const leave = watch(socket);
  // Not earlier: the timeout for request headers holds for a new connection, not for an idle one.
  socket.once("readable", () => {
    leave();
    serveFromHere(server, socket);
  });
}

/** Makes a server read a connection, beginning with the bytes that its reader has not taken. */
export function serveFromHere(server: Server, socket: Socket): void {
  socket.setTimeout(0);
  const bytes: Buffer | null = socket.read();
  if (bytes && !guardAgain(socket, bytes)) socket.unshift(bytes);
  server.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
}

/** Closes a connection on errors and timeouts while Node does not handle them. */
function watch(socket: Socket): () => void {
  const close = (): void => void socket.destroy();
  socket.on("error", close).on("timeout", close);
  return () => void socket.off("error", close).off("timeout", close);
}

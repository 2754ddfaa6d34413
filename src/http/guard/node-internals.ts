/**
 * Everything in this package that relies on how `node:http`, `node:https` and `node:net` work inside. `guardServer` fails at start
 * when a server does not look as it must; CI proves the rest on Node 20, 22 and 24, with `test/http/guard-server.test.ts`,
 * `test/http/reset-connection.test.ts` and `test/gateway/proxy/upgrades.test.ts`.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";

export function isSecure(server: Server | SecureServer): server is SecureServer {
  return "setSecureContext" in server;
}

/**
 * Takes the listener that begins to serve connections, with TLS their handshakes, off a server: the caller decides when each begins.
 * Node adds it in the constructor of the server, before anyone can add another. Throws if it is not there.
 */
export function takeConnections(server: Server | SecureServer): (socket: Socket) => void {
  const [listener] = server.listeners("connection");
  if (!listener) {
    throw new Error(
      'guardServer needs a server of node:http or node:https whose own "connection" listener is in place',
    );
  }
  server.off("connection", listener as () => void);
  return listener.bind(server) as (socket: Socket) => void;
}

/** Makes `closeAllConnections` of a server close these too: Node knows only the connections that it has begun to serve. */
export function closeAllOf(server: Server | SecureServer, others: Iterable<Socket>): void {
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    for (const socket of others) socket.destroy();
  };
}

/**
 * Calls back with the first bytes of an accepted connection, or null if it ends without any; the result says whether to read on. Node
 * 24 reports a reset behind the bytes in the same turn, and closes the connection, unless reading has stopped.
 */
export function onFirstBytes(socket: Socket, take: (bytes: Buffer | null) => boolean): void {
  socket.push = (bytes: Buffer | null) => {
    Reflect.deleteProperty(socket, "push");
    return take(bytes);
  };
}

/** A filter between a socket and its readers. */
export interface ReadFilter {
  /** Bytes have arrived, or null at their end; false to read no more for the time being. */
  take(chunk: Buffer | null): boolean;
  /** The readers want more; false to leave it until {@link Filtered.read}. */
  mayRead(): boolean;
}

/** How a filter passes data on and resumes reading. */
export interface Filtered {
  /** Hands bytes, or null at their end, to the readers. */
  push(chunk: Buffer | null): boolean;
  read(): void;
}

/**
 * Puts a filter between a socket and its readers. `push` and `_read` are there to be overridden (Node.js, "Implementing a readable
 * stream"); that sockets call them on the instance is not documented. A Duplex around the socket costs more for each read.
 */
export function filterReads(socket: Socket, filter: ReadFilter): Filtered {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  socket.push = (chunk: Buffer | null) => filter.take(chunk);
  socket._read = (size) => {
    if (filter.mayRead()) read(size);
  };
  return { push, read: () => read(0) };
}

/**
 * The listener of the HTTP parser, which is the first of `data`; undefined when nothing parses the connection. As long as there is no
 * other, a server reads plain connections past the stream; it stops that for good as soon as one is added.
 */
export function parserOf(socket: Socket): unknown {
  const [parser] = socket.listeners("data");
  if (!parser) return undefined;
  socket.on("data", ignore);
  socket.off("data", ignore);
  return parser;
}

function ignore(): void {}

/** Calls `close` in place of `destroySoon`, with which a server closes a connection after the last response. */
export function replaceClose(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/**
 * Whether a connection over TCP was reset: the operating system has forgotten its peer. Node reports such an end like an orderly one.
 */
export function isReset(socket: Socket): boolean {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { getpeername?(found: object): number } | null };
  return handle?.getpeername !== undefined && handle.getpeername({}) !== 0;
}

/** A socket of TLS holds the one that was accepted. */
export function acceptedSocket(socket: Socket & { readonly _parent?: Socket }): Socket | undefined {
  return socket._parent;
}

export function serverOf(socket: Socket & { readonly server?: Server }): Server | undefined {
  return socket.server;
}

/** Takes over a connection with the bytes that follow a request. */
type Takeover = (request: IncomingMessage, socket: Socket, next: Buffer) => void;

/**
 * Makes Node hand the connection of a request over once the request is complete, as for an upgrade. Node reads `request.upgrade`
 * then, and emits `upgrade` immediately: any other request must not meet this listener.
 */
export function takeOverWhenComplete(request: IncomingMessage, server: Server, take: Takeover): void {
  Object.defineProperty(request, "upgrade", {
    configurable: true,
    get: () => {
      if (!request.complete) return false;
      server.once("upgrade", take);
      process.nextTick(() => server.off("upgrade", take));
      return true;
    },
  });
}

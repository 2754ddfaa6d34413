import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

// The system forgets the peer of a connection that was reset. A socket that was asked once remembers it, so each is asked
// as soon as it is accepted, whatever server accepts it.
subscribe("net.server.socket", (message) => void (message as { readonly socket: Socket }).socket.remoteAddress);

/** A socket of TLS holds the one that was accepted. */
interface LayeredSocket extends Socket {
  readonly _parent?: Socket;
}

/** Address at the other end of a connection, whether it is still open or not; undefined if it was reset before it was accepted. */
export function peerAddress(socket: LayeredSocket): string | undefined {
  return socket.remoteAddress ?? socket._parent?.remoteAddress;
}

import type { Socket } from "node:net";
import { acceptedSocket } from "../../http/guard/node-internals.ts";

/** How many connections may be in a handshake, as a part of those that may be open. */
export const HANDSHAKES_PART = 0.5;

/** TCP connections of an HTTPS server during the TLS handshake. Node does not end them when the server closes. */
export class Handshakes {
  /** The oldest first. */
  readonly #sockets = new Set<Socket>();

  /** Adds a connection; drops the oldest above `most`. */
  begin(socket: Socket, most: number): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const [oldest] = this.#sockets;
    if (!oldest || this.#sockets.size <= most) return;
    // Until it has closed it would be the oldest again, and none be dropped in its place.
    this.#sockets.delete(oldest);
    oldest.destroy();
  }

  /** `secure` is the TLS connection over one of them. */
  done(secure: Socket): void {
    const accepted = acceptedSocket(secure);
    if (accepted) this.#sockets.delete(accepted);
  }

  /** Ends the remaining ones. */
  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

import type { Socket } from "node:net";

/** How many connections may be in a handshake, as a part of those that may be open. */
export const HANDSHAKES_PART = 0.5;

/** TCP connections of an HTTPS server during the TLS handshake. Node does not end them when the server closes. */
export class Handshakes {
  readonly #sockets = new Map<string, Socket>();

  /** Adds a connection; drops the oldest above `most`. */
  begin(socket: Socket, most: number): void {
    const peer = connectionKey(socket);
    this.#sockets.set(peer, socket);
    const [oldest] = this.#sockets;
    if (oldest && this.#sockets.size > most) {
      // Until it has closed it would be the oldest again, and none be dropped in its place.
      this.#sockets.delete(oldest[0]);
      oldest[1].destroy();
    }
    socket.once("close", () => {
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
    });
  }

  /** `secure` is the TLS connection over one of them, which is found by the address of the peer. */
  done(secure: Socket): void {
    this.#sockets.delete(connectionKey(secure));
  }

  /** Ends the remaining ones. */
  end(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function connectionKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

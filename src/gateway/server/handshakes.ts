import type { Socket } from "node:net";

/** The TCP connections of an HTTPS server on which the TLS handshake is not done yet. Node ends them neither at closing. */
export class Handshakes {
  readonly #sockets = new Map<string, Socket>();

  /** Takes a new connection; drops the oldest when there are more than `most`. */
  begin(socket: Socket, most: number): void {
    const peer = connectionKey(socket);
    this.#sockets.set(peer, socket);
    const [oldest] = this.#sockets.values();
    if (this.#sockets.size > most) oldest?.destroy();
    socket.once("close", () => {
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
    });
  }

  /** `secure` is the TLS connection over one of them; only the address of the peer tells over which. */
  done(secure: Socket): void {
    this.#sockets.delete(connectionKey(secure));
  }

  /** Ends those that are left. */
  end(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function connectionKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

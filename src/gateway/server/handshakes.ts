import type { Socket } from "node:net";
import { acceptedSocket } from "../../http/guard/node-internals.ts";
import { Shares } from "./shares.ts";

/** How many connections may be in a handshake, as a part of those that may be open. */
export const HANDSHAKES_PART = 0.5;

/** TCP connections of an HTTPS server during the TLS handshake. Node does not end them when the server closes. */
export class Handshakes {
  readonly #sockets = new Shares();

  /** Adds a connection; above `most`, drops the oldest of the caller with the most. */
  begin(socket: Socket, caller: string, most: number): void {
    this.#sockets.add(socket, caller);
    socket.once("close", () => this.#sockets.remove(socket));
    if (this.#sockets.size <= most) return;
    const [oldest] = this.#sockets.largest;
    if (!oldest) return;
    // Until it has closed it would be the oldest again, and none be dropped in its place.
    this.#sockets.remove(oldest);
    oldest.destroy();
  }

  /** `secure` is the TLS connection over one of them. */
  done(secure: Socket): void {
    const accepted = acceptedSocket(secure);
    if (accepted) this.#sockets.remove(accepted);
  }

  /** Ends the remaining ones. */
  end(): void {
    for (const socket of this.#sockets.all) socket.destroy();
  }
}

import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Clock } from "../../src/core/clock.ts";

/**
 * Pings the other end and terminates the connection if nothing, not even a pong, has arrived by the next ping. Also terminates a
 * connection whose closing handshake hangs.
 */
export class KeepAlive {
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #onSilence: () => void;
  #bytesAtPing = -1;
  #cancel: () => void = () => {};

  constructor(webSocket: WebSocket, socket: Socket, clock: Clock, intervalMs: number, onSilence: () => void) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#onSilence = onSilence;
    this.#schedule();
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(): void {
    this.#cancel = this.#clock.schedule(this.#intervalMs, () => this.#beat());
  }

  #beat(): void {
    // After a stall of this process the pong may still be in the kernel buffer: let it be read first.
    const verdict = setImmediate(() => {
      if (this.#isSilent()) this.#drop();
      else this.#ping();
    });
    this.#cancel = () => clearImmediate(verdict);
  }

  #isSilent(): boolean {
    return this.#webSocket.readyState !== WebSocket.OPEN || this.#socket.bytesRead === this.#bytesAtPing;
  }

  #drop(): void {
    this.#onSilence();
    this.#webSocket.terminate();
  }

  #ping(): void {
    this.#bytesAtPing = this.#socket.bytesRead;
    this.#webSocket.ping();
    this.#schedule();
  }
}

import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Clock } from "../../src/core/clock.ts";

/**
 * Pings the other end and drops a connection on which nothing has come, neither a pong nor anything else, by the time
 * the next ping is due. Also drops one whose closing handshake gets stuck.
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
    // After a pause of our own process the pong is waiting in the kernel: let it be read before the verdict.
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

import type { Duplex } from "node:stream";
import { WebSocket } from "ws";

/**
 * Frames of one tick, sent together: one system call instead of one for each. Until then they are kept here and not in
 * the socket, so that it is certain which of them never left when the connection is lost.
 */
export class FrameBatch {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  #frames: string[] = [];
  #length = 0;
  #flushing: NodeJS.Immediate | undefined;

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket;
    this.#socket = socket;
  }

  /** How many frames have not been given to the socket. */
  get size(): number {
    return this.#frames.length;
  }

  /** Bytes that wait here (near enough: characters) and in the socket. */
  get bufferedBytes(): number {
    return this.#length + this.#webSocket.bufferedAmount;
  }

  add(frame: string): void {
    this.#frames.push(frame);
    this.#length += frame.length;
    this.#flushing ??= setImmediate(this.flush);
  }

  /** Sends nothing any more; what has not been sent stays counted. */
  stop(): void {
    clearImmediate(this.#flushing);
  }

  /** Sends what waits, if the connection is open, now. */
  readonly flush = (): void => {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#length = 0;
    this.#socket.cork();
    for (const frame of frames) this.#webSocket.send(frame);
    this.#socket.uncork();
  };
}

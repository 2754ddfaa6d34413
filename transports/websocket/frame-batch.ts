import type { Duplex } from "node:stream";
import { WebSocket } from "ws";

/**
 * Batches the frames of one tick into one system call. Frames are buffered here, not in the socket, so that after a loss of the
 * connection it is certain which were never sent.
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

  get size(): number {
    return this.#frames.length;
  }

  /** Bytes buffered here (approximately: characters) and in the socket. */
  get bufferedBytes(): number {
    return this.#length + this.#webSocket.bufferedAmount;
  }

  add(frame: string): void {
    this.#frames.push(frame);
    this.#length += frame.length;
    this.#flushing ??= setImmediate(this.flush);
  }

  /** Stops sending; unsent frames remain counted. */
  stop(): void {
    clearImmediate(this.#flushing);
  }

  /** Sends the buffered frames immediately if the connection is open. */
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

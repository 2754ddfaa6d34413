/** Bytes that wait on all connections of a server that no user has logged in over. */
export interface WaitingBytes {
  waitingBytes: number;
}

/** Bytes in all, beyond which a connection without a user is closed. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** What has come over one connection and waits for a turn. */
export class Backlog {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Undefined once a user has logged in: one connection holds little, and there are only so many. */
  #total: WaitingBytes | undefined;

  constructor(total: WaitingBytes) {
    this.#total = total;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Whether all that waits came at once, and is at most this long. */
  isOnePiece(maxBytes: number): boolean {
    return this.#chunks.length === 1 && this.#bytes <= maxBytes;
  }

  /** The bytes that came first, in one buffer as they came. */
  get first(): Buffer | undefined {
    return this.#chunks[0];
  }

  get isTooMuch(): boolean {
    return this.#total !== undefined && this.#total.waitingBytes > MAX_WAITING_BYTES;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#count(chunk.length);
  }

  /** Puts bytes in front of all others. */
  putBack(chunk: Buffer): void {
    this.#chunks.unshift(chunk);
    this.#count(chunk.length);
  }

  /** Takes bytes off {@link first}. */
  take(size: number): Buffer {
    const [chunk = Buffer.alloc(0)] = this.#chunks;
    this.#count(-Math.min(size, chunk.length));
    if (size < chunk.length) {
      this.#chunks[0] = chunk.subarray(size);
      return chunk.subarray(0, size);
    }
    this.#chunks.shift();
    return chunk;
  }

  clear(): void {
    this.#count(-this.#bytes);
    this.#chunks = [];
  }

  /** Counts no longer in the total. */
  ofUser(): void {
    if (this.#total) this.#total.waitingBytes -= this.#bytes;
    this.#total = undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#total) this.#total.waitingBytes += bytes;
  }
}

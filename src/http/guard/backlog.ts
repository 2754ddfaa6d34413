import type { RequestArrival } from "../../core/calls/call.ts";
import { HeldBytes } from "../../core/load/held-bytes.ts";
import type { Quota } from "../../core/load/quota.ts";

/** Minimum size that a chunk counts: a read of TLS may bring thousands of a byte each. */
const MIN_BYTES = 512;

/** Bytes as they came. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly arrival: RequestArrival;
}

/** Input of one connection that waits for a turn; counted for its caller. */
export class Backlog {
  #chunks: Chunk[] = [];
  readonly #held: HeldBytes;

  constructor(quota: Quota, caller: string) {
    this.#held = new HeldBytes(quota, caller);
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  get first(): Chunk | undefined {
    return this.#chunks[0];
  }

  /** All that waits, if it arrived together. */
  get only(): Buffer | undefined {
    return this.#chunks.length === 1 ? this.#chunks[0]?.bytes : undefined;
  }

  /** Adds bytes; returns false without room for them, of which some is kept for stops. */
  add(chunk: Chunk, isForStop: () => boolean): boolean {
    const hasRoom = this.#held.take(costOf(chunk.bytes), isForStop);
    if (hasRoom) this.#chunks.push(chunk);
    return hasRoom;
  }

  /** Puts bytes in front of all others. */
  putBack(chunk: Chunk): void {
    this.#chunks.unshift(chunk);
    this.#held.add(costOf(chunk.bytes));
  }

  /** Takes bytes off {@link first}. */
  take(size: number): Buffer {
    const chunk = this.#chunks.shift();
    if (!chunk) return Buffer.alloc(0);
    const { bytes } = chunk;
    this.#held.release(costOf(bytes));
    if (size < bytes.length) this.putBack({ ...chunk, bytes: bytes.subarray(size) });
    return bytes.subarray(0, size);
  }

  clear(): void {
    this.#chunks = [];
    this.#held.release();
  }

  /** From now on it counts for another caller. */
  countFor(caller: string): void {
    this.#held.countFor(caller);
  }
}

function costOf({ length }: Buffer): number {
  return Math.max(length, MIN_BYTES);
}

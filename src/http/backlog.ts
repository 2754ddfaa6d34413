import { HELD_FOR_STOPS_BYTES } from "../core/load/held-bytes.ts";
import type { Quota } from "../core/load/quota.ts";

/** What has come over one connection and waits for a turn; counted for its caller until a user logs in over it. */
export class Backlog {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Undefined once a user has logged in: one connection holds little, and there are only so many. */
  #quota: Quota | undefined;
  readonly #caller: string;

  constructor(quota: Quota, caller: string) {
    this.#quota = quota;
    this.#caller = caller;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** What came first, in one buffer as it came. */
  get first(): Buffer | undefined {
    return this.#chunks[0];
  }

  /** All that waits, if it came at once. */
  get only(): Buffer | undefined {
    return this.#chunks.length === 1 ? this.#chunks[0] : undefined;
  }

  hasRoom(bytes: number, isStop: boolean): boolean {
    return this.#quota?.hasRoom(this.#caller, bytes, isStop ? HELD_FOR_STOPS_BYTES : 0) ?? true;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#took(chunk.length);
  }

  /** Puts bytes in front of all others. */
  putBack(chunk: Buffer): void {
    this.#chunks.unshift(chunk);
    this.#took(chunk.length);
  }

  /** Takes bytes off {@link first}. */
  take(size: number): Buffer {
    const [chunk = Buffer.alloc(0)] = this.#chunks;
    const isWhole = size >= chunk.length;
    if (isWhole) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(size);
    this.#release(Math.min(size, chunk.length));
    return isWhole ? chunk : chunk.subarray(0, size);
  }

  clear(): void {
    this.#chunks = [];
    this.#release(this.#bytes);
  }

  /** From now on it counts for nobody. */
  uncount(): void {
    this.#quota?.release(this.#caller, this.#bytes);
    this.#quota = undefined;
  }

  #took(bytes: number): void {
    this.#bytes += bytes;
    this.#quota?.take(this.#caller, bytes);
  }

  #release(bytes: number): void {
    this.#bytes -= bytes;
    this.#quota?.release(this.#caller, bytes);
  }
}

import type { NatsConnection } from "@nats-io/transport-node";
import type { Lane } from "../../src/core/operations/operation.ts";
import { STOP_RESERVE_BYTES } from "../link/limits.ts";

/**
 * Unacknowledged bytes of one connection. The client does not expose its socket buffer, but the server replies to a ping only after
 * it has read everything before it: above half of the limit, a ping is sent.
 */
export class UnacknowledgedBytes {
  readonly #connection: NatsConnection;
  readonly #limit: number;
  #published = 0;
  #taken = 0;
  #asking = false;

  constructor(connection: NatsConnection, limit: number) {
    this.#connection = connection;
    this.#limit = limit;
  }

  isFull(lane: Lane): boolean {
    return this.#published - this.#taken > this.#limit + (lane === "stop" ? STOP_RESERVE_BYTES : 0);
  }

  add(bytes: number): void {
    this.#published += bytes;
    if (!this.#asking && this.#published - this.#taken > this.#limit / 2) void this.#ask();
  }

  async #ask(): Promise<void> {
    const published = this.#published;
    this.#asking = true;
    // A lost connection is not used again, nor is its count.
    await this.#connection.flush().catch(() => {});
    this.#asking = false;
    this.#taken = published;
  }
}

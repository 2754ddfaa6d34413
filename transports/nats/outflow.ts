import type { NatsConnection } from "@nats-io/transport-node";
import type { Lane } from "../../src/core/operations/operation.ts";
import { STOP_RESERVE_BYTES } from "../link/limits.ts";

/**
 * Bytes on their way to the server over one connection. The client does not say what its socket holds, but the server
 * replies to a ping only when it has read everything before: from half of the limit on, it is asked.
 */
export class Outflow {
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
    // A connection that is lost meanwhile is not used again, and neither is its count.
    await this.#connection.flush().catch(() => {});
    this.#asking = false;
    this.#taken = published;
  }
}

import type { NatsConnection } from "@nats-io/transport-node";
import { TransportError } from "../../src/core/engine/transport.ts";
import type { Lane } from "../../src/core/operations/operation.ts";
import { type LinkEvent, STOP_RESERVE_BYTES } from "../link/link.ts";
import { NearLimit } from "../link/link-events.ts";

/** Allowance for the context, and the JSON around an input. */
const ENVELOPE_BYTES = 64 * 1024;

/** Message size limit of the connected server (`max_payload`), and messages that come near it. */
export class PayloadLimits {
  readonly #address: string;
  readonly #largestInput: number;
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #nearLimit: NearLimit;
  #limit = Number.POSITIVE_INFINITY;
  /** The limit that was last reported as too small. */
  #reported: number | undefined;

  /** `largestInput`: bytes that the host accepts; 0 where that is not known. */
  constructor(address: string, largestInput: number, onEvent: (event: LinkEvent) => void) {
    this.#address = address;
    this.#largestInput = largestInput;
    this.#onEvent = onEvent;
    this.#nearLimit = new NearLimit(onEvent);
  }

  /** Takes the limit of a new connection; one below what the host accepts is reported once. */
  connected({ info }: NatsConnection): void {
    this.#limit = info?.max_payload ?? Number.POSITIVE_INFINITY;
    const isEnough = this.#largestInput === 0 || this.#limit >= this.#largestInput + ENVELOPE_BYTES;
    if (isEnough || this.#limit === this.#reported) return;
    this.#reported = this.#limit;
    const message =
      `The NATS server at ${this.#address} carries ${this.#limit} bytes in a message (max_payload); bodies of ${this.#largestInput} bytes ` +
      `are accepted, and ${ENVELOPE_BYTES} may come on top: what is too large for it is refused with 413`;
    this.#onEvent({ kind: "problem", message });
  }

  /** @throws TransportError for a request that the server would not carry. */
  checkRequest(bytes: number): void {
    if (bytes <= this.#limit) return;
    const sizes = `The request has ${bytes} bytes, and the NATS server takes ${this.#limit} at most`;
    throw new TransportError("too-large", `${sizes}; nothing was sent`, { sent: false });
  }

  /** Reports a reply that is nearly too large. */
  checkReply(subject: string, bytes: number): void {
    this.#nearLimit.check(subject, bytes, this.#limit, "max_payload of the NATS servers");
  }
}

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

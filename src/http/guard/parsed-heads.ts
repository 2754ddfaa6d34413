import type { ServerResponse } from "node:http";
import { HELD_FOR_STOPS_BYTES } from "../../core/load/held-bytes.ts";
import type { Quota } from "../../core/load/quota.ts";
import type { GuardedRequest } from "./request.ts";

const LF = 0x0a;

/** Of each field, besides its text, where it is forwarded to a monitor: it is in several lists then. */
const FIELD_BYTES = 256;

/** What a head may take without being counted: the limit on connections leaves room for as much. */
const SMALL_BYTES = 4 * 1024;

/**
 * The heads of one connection's requests from their parsing until the responses have closed; counted for its caller. Parsed, a head of a
 * thousand short fields takes ten times its size.
 */
export class ParsedHeads {
  readonly #quota: Quota;
  readonly #caller: string;
  /** All that is counted. */
  #held = 0;
  /** Of the head that is being parsed. */
  #latest = 0;

  constructor(quota: Quota, caller: string) {
    this.#quota = quota;
    this.#caller = caller;
  }

  /** Counts bytes that are about to be parsed; returns false without room for them, of which some is kept for stops. */
  add(bytes: Buffer, isForStop: () => boolean): boolean {
    const cost = costOf(bytes);
    if (cost === 0) return true;
    if (!this.#hasRoom(cost) && !(isForStop() && this.#hasRoom(cost, HELD_FOR_STOPS_BYTES))) return false;
    this.#latest += cost;
    this.#held += cost;
    this.#quota.take(this.#caller, cost);
    return true;
  }

  /** Its head has been parsed; `then` is called when the response has closed and the request has been read. */
  began(request: GuardedRequest, response: ServerResponse, then: () => void): void {
    const cost = this.#latest;
    this.#latest = 0;
    const end = (): void => {
      this.#release(cost);
      then();
    };
    response.once("close", () => (request.complete ? end() : request.once("close", end)));
  }

  /** The connection is closed: not every response says so. */
  clear(): void {
    this.#release(this.#held);
  }

  #hasRoom(bytes: number, reserve = 0): boolean {
    return this.#quota.hasRoom(this.#caller, bytes, reserve);
  }

  #release(bytes: number): void {
    const held = Math.min(bytes, this.#held);
    this.#held -= held;
    if (held > 0) this.#quota.release(this.#caller, held);
  }
}

function costOf(bytes: Buffer): number {
  let cost = bytes.length - SMALL_BYTES;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) cost += FIELD_BYTES;
  return Math.max(0, cost);
}

import type { ServerResponse } from "node:http";
import { HeldBytes } from "../../core/load/held-bytes.ts";
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
  readonly #held: HeldBytes;
  /** Of the head that is being parsed. */
  #latest = 0;

  constructor(quota: Quota, caller: string) {
    this.#held = new HeldBytes(quota, caller);
  }

  /** Counts bytes that are about to be parsed; returns false without room for them, of which some is kept for stops. */
  add(bytes: Buffer, isForStop: () => boolean): boolean {
    const cost = costOf(bytes);
    if (cost > 0 && !this.#held.take(cost, isForStop)) return false;
    this.#latest += cost;
    return true;
  }

  /** Its head has been parsed; `then` is called when the response has closed and the request has been read. */
  began(request: GuardedRequest, response: ServerResponse, then: () => void): void {
    const cost = this.#latest;
    this.#latest = 0;
    const end = (): void => {
      this.#held.release(cost);
      then();
    };
    response.once("close", () => (request.complete ? end() : request.once("close", end)));
  }

  /** The connection is closed: not every response says so. */
  clear(): void {
    this.#held.release();
  }
}

function costOf(bytes: Buffer): number {
  let cost = bytes.length - SMALL_BYTES;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) cost += FIELD_BYTES;
  return Math.max(0, cost);
}

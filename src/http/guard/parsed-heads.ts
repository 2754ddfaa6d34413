import type { ServerResponse } from "node:http";
import { HeldBytes } from "../../core/load/held-bytes.ts";
import type { Quota } from "../../core/load/quota.ts";
import type { GuardedRequest } from "./request.ts";

const LF = 0x0a;

/** Of each field, besides its text, where it is forwarded to a monitor: it is in several lists then. */
const FIELD_BYTES = 256;

/** What the heads of a connection may take without being counted: the limit on connections leaves room for as much. */
const SMALL_BYTES = 4 * 1024;

/** What the head and the trailers of one request take. */
interface Fields {
  bytes: number;
  /** The end of the head has been parsed. */
  hasBegun: boolean;
}

/**
 * The heads and trailers of one connection's requests from their parsing until the responses have closed; counted for its caller,
 * however they were cut. Parsed, a head of a thousand short fields takes ten times its size.
 */
export class ParsedHeads {
  readonly #held: HeldBytes;
  /** Of all requests in progress. */
  #bytes = 0;
  #latest: Fields = { bytes: 0, hasBegun: false };

  constructor(quota: Quota, caller: string) {
    this.#held = new HeldBytes(quota, caller);
  }

  /** Counts fields that are about to be parsed; returns false without room for them, of which some is kept for stops. */
  add(fields: Buffer, areTrailers: boolean, isForStop: () => boolean): boolean {
    const bytes = bytesOf(fields);
    const cost = costOf(this.#bytes + bytes) - costOf(this.#bytes);
    if (cost > 0 && !this.#held.take(cost, isForStop)) return false;
    if (this.#latest.hasBegun && !areTrailers) this.#latest = { bytes: 0, hasBegun: false };
    this.#latest.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }

  /** Its head has been parsed; `then` is called when the response has closed and the request has been read. */
  began(request: GuardedRequest, response: ServerResponse, then: () => void): void {
    const fields = this.#latest;
    fields.hasBegun = true;
    const end = (): void => {
      this.#release(fields.bytes);
      then();
    };
    response.once("close", () => (request.complete ? end() : request.once("close", end)));
  }

  /** The connection is closed: not every response says so. */
  clear(): void {
    this.#release(this.#bytes);
  }

  #release(bytes: number): void {
    const left = Math.max(0, this.#bytes - bytes);
    this.#held.release(costOf(this.#bytes) - costOf(left));
    this.#bytes = left;
  }
}

function bytesOf(fields: Buffer): number {
  let bytes = fields.length;
  for (let at = fields.indexOf(LF); at >= 0; at = fields.indexOf(LF, at + 1)) bytes += FIELD_BYTES;
  return bytes;
}

function costOf(bytes: number): number {
  return Math.max(0, bytes - SMALL_BYTES);
}

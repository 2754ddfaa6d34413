import type { ServerResponse } from "node:http";
import { HeldBytes } from "../../core/load/held-bytes.ts";
import type { Quota } from "../../core/load/quota.ts";
import type { GuardedRequest, Piece } from "./request.ts";

const LF = 0x0a;

/** Of each field, besides its text, where it is forwarded to a monitor: it is in several lists then. As much of a small piece of a body. */
const PART_BYTES = 256;

/** What the requests of a connection may take without being counted: the limit on connections leaves room for as much. */
const SMALL_BYTES = 4 * 1024;

/** What one request takes. */
interface Parts {
  /** Its head and trailers. */
  fields: number;
  /** Small pieces of its body that were not read. */
  fragments: number;
  /** The end of the head has been parsed. */
  hasBegun: boolean;
}

/**
 * What the parser makes of one connection's requests, until the responses have closed: heads and trailers, and pieces of bodies until they
 * are read; counted for its caller, however they were cut. Parsed, a head of a thousand short fields takes ten times its size, and a body in
 * chunks of one byte thirty times.
 */
export class ParsedParts {
  readonly #held: HeldBytes;
  /** Of all requests in progress. */
  #bytes = 0;
  #latest: Parts = noParts();

  constructor(quota: Quota, caller: string) {
    this.#held = new HeldBytes(quota, caller);
  }

  /** Counts what is about to be parsed; returns false without room for it, of which some is kept for stops. */
  add(piece: Pick<Piece, "fields" | "fragments">, isOfBody: boolean, isForStop: () => boolean): boolean {
    const fields = bytesOf(piece.fields);
    const fragments = piece.fragments * PART_BYTES;
    const cost = costOf(this.#bytes + fields + fragments) - costOf(this.#bytes);
    if (cost > 0 && !this.#held.take(cost, isForStop)) return false;
    if (this.#latest.hasBegun && !isOfBody) this.#latest = noParts();
    this.#latest.fields += fields;
    this.#latest.fragments += fragments;
    this.#bytes += fields + fragments;
    return true;
  }

  /** The part of the latest request's body that has arrived was read. */
  bodyWasRead(): void {
    this.#release(this.#latest.fragments);
    this.#latest.fragments = 0;
  }

  /** The head of a request has been parsed; `then` is called when the response has closed and the request has been read. */
  began(request: GuardedRequest, response: ServerResponse, then: () => void): void {
    const parts = this.#latest;
    parts.hasBegun = true;
    const end = (): void => {
      this.#release(parts.fields + parts.fragments);
      parts.fields = 0;
      parts.fragments = 0;
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

function noParts(): Parts {
  return { fields: 0, fragments: 0, hasBegun: false };
}

function bytesOf(fields: Buffer): number {
  let bytes = fields.length;
  for (let at = fields.indexOf(LF); at >= 0; at = fields.indexOf(LF, at + 1)) bytes += PART_BYTES;
  return bytes;
}

function costOf(bytes: number): number {
  return Math.max(0, bytes - SMALL_BYTES);
}

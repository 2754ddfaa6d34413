import { checkSum, FixMessage, SOH } from "./message.ts";

/** Longest message that is taken; one that says it is longer is garbled. */
export const MAX_MESSAGE = 16_384;

const BEGIN = "8=FIX";

/** BeginString, BodyLength and MsgType have to be the first three fields, in this order. */
const HEAD = new RegExp(`^8=FIX[^${SOH}]{1,8}${SOH}9=(\\d{1,6})${SOH}35=`);
const MAX_PREFIX = 32;

const TRAILER = new RegExp(`^10=\\d{3}${SOH}$`);
const TRAILER_LENGTH = 7;

/**
 * Messages out of a stream of bytes. What is garbled is skipped, as the FIX session layer demands, to where the next message may
 * begin; each byte is looked at a bounded number of times, whatever a peer sends.
 */
export class Framer {
  #bytes: Buffer = Buffer.alloc(0);

  /** Takes further bytes; all messages of the former ones have to be taken first, so that few wait. */
  push(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
  }

  /** The next message; `garbled` when bytes were skipped and there may be more, undefined when more bytes are needed. */
  next(): FixMessage | "garbled" | undefined {
    const start = this.#bytes.indexOf(BEGIN, 0, "latin1");
    if (start !== 0) return this.#skipTo(start);
    const text = this.#bytes.toString("latin1", 0, MAX_PREFIX);
    const [head = "", bodyLength = ""] = HEAD.exec(text) ?? [];
    if (head === "") return text.length < MAX_PREFIX ? undefined : this.#skip(BEGIN.length);
    // The body begins with MsgType, the head ends with its tag.
    const end = head.length - "35=".length + Number(bodyLength);
    if (end + TRAILER_LENGTH > MAX_MESSAGE) return this.#skip(BEGIN.length);
    return this.#bytes.length < end + TRAILER_LENGTH ? undefined : this.#take(end);
  }

  #take(end: number): FixMessage | "garbled" {
    const trailer = this.#bytes.toString("latin1", end, end + TRAILER_LENGTH);
    // Where there is no trailer the length is wrong: the next message may begin within what it counts.
    if (!TRAILER.test(trailer)) return this.#skip(BEGIN.length);
    const isWhole = trailer.slice(3, 6) === checkSum(this.#bytes.subarray(0, end));
    const text = this.#bytes.toString("latin1", 0, end + TRAILER_LENGTH);
    this.#skip(end + TRAILER_LENGTH);
    return isWhole ? new FixMessage(text) : "garbled";
  }

  #skipTo(start: number): "garbled" | undefined {
    if (start > 0) return this.#skip(start);
    // The last bytes may be the beginning of a beginning.
    this.#skip(Math.max(0, this.#bytes.length - BEGIN.length + 1));
    return undefined;
  }

  #skip(count: number): "garbled" {
    this.#bytes = this.#bytes.subarray(count);
    return "garbled";
  }
}

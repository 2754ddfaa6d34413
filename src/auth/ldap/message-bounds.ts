import type { Duplex } from "node:stream";

/** An entry with 300,000 members has 20 MiB where the server does not give them in parts. */
const LARGEST_MESSAGE = 32 * 1024 * 1024;
/** Several times the size of the users and groups of a large company. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Octets of tag and length at most: lengths of more than four octets are longer than any message that is taken. */
const MAX_HEADER_BYTES = 6;

/**
 * Ends a connection whose server sends more than any directory has: the client keeps a message whole, and puts it together anew with
 * each piece that comes.
 */
export function boundMessages(socket: Duplex): void {
  const bounds = new MessageBounds();
  socket.on("data", (piece: Buffer) => {
    const excess = bounds.take(piece);
    if (excess) socket.destroy(new Error(excess));
  });
}

/** Follows the messages of RFC 4511 section 5.1 by their lengths (X.690 section 8.1.3) alone. */
class MessageBounds {
  #bytes = 0;
  /** Octets of the current message that are still to come; 0 between messages and within a head. */
  #missing = 0;
  #head: number[] = [];

  /** Returns what is too much, in words, if something is. */
  take(piece: Buffer): string | undefined {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_BYTES) return `the server sent more than ${MAX_BYTES / 1024 / 1024} MiB`;
    for (let at = 0; at < piece.length; ) {
      if (this.#missing > 0) {
        const passed = Math.min(this.#missing, piece.length - at);
        this.#missing -= passed;
        at += passed;
        continue;
      }
      this.#head.push(piece[at] ?? 0);
      at += 1;
      const length = lengthIn(this.#head);
      if (length === undefined) continue;
      if (length > LARGEST_MESSAGE)
        return `the server sent a message of more than ${LARGEST_MESSAGE / 1024 / 1024} MiB`;
      [this.#missing, this.#head] = [length, []];
    }
    return undefined;
  }
}

/** Length of the content after a head; undefined while the head is incomplete. */
function lengthIn(head: readonly number[]): number | undefined {
  const [, first, ...more] = head;
  if (first === undefined) return undefined;
  if (first < 0x80) return first;
  const octets = first & 0x7f;
  if (octets > MAX_HEADER_BYTES - 2) return Number.POSITIVE_INFINITY;
  if (more.length < octets) return undefined;
  return more.reduce((length, octet) => length * 256 + octet, 0);
}

import type { Duplex } from "node:stream";

/** An entry with 300,000 members has 20 MiB where the server does not give them in parts. */
const LARGEST_MESSAGE = 32 * 1024 * 1024;
/** Several times the size of the users and groups of a large company. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Values and what holds them: several times a group of 100,000 members that the server does not give in parts. */
const MAX_ELEMENTS_OF_MESSAGE = 500_000;
const MAX_ELEMENTS = 4_000_000;
/** Octets of tag and length at most: lengths of more than four octets are longer than any message that is taken. */
const MAX_HEADER_BYTES = 6;
/** What the client gets at a time: it calls itself for each message of a piece, and one of 64 KiB can have more than the stack holds. */
const MAX_PIECE = 16 * 1024;
/** Whether an element holds others (X.690 section 8.1.2.5). */
const CONSTRUCTED = 0x20;

/**
 * Ends a connection whose server sends more than any directory has, before its client sees it: the client keeps a message whole, and puts it
 * together anew with each piece that comes.
 */
export function boundMessages(socket: Duplex): void {
  const bounds = new MessageBounds();
  const emit = socket.emit.bind(socket);
  socket.emit = (event: string, ...values: unknown[]) => {
    if (event !== "data") return emit(event, ...values);
    const [piece] = values as [Buffer];
    for (let at = 0; at < piece.length && !socket.destroyed; at += MAX_PIECE) {
      const part = piece.subarray(at, at + MAX_PIECE);
      const excess = bounds.take(part);
      if (excess) socket.destroy(new Error(excess));
      else emit(event, part);
    }
    return true;
  };
}

/** Follows the messages of RFC 4511 section 5.1, and the elements within them, by their tags and lengths (X.690 section 8.1.3) alone. */
class MessageBounds {
  #bytes = 0;
  #elements = 0;
  #elementsOfMessage = 0;
  /** Octets of the current message that are still to come; 0 between messages. */
  #missing = 0;
  /** Octets of the current value that are still to come. */
  #value = 0;
  #head: number[] = [];

  /** Returns what is too much, in words, if something is. */
  take(piece: Buffer): string | undefined {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_BYTES) return `the server sent more than ${MAX_BYTES / 1024 / 1024} MiB`;
    for (let at = 0; at < piece.length; ) {
      const passed = Math.min(this.#value, piece.length - at);
      this.#value -= passed;
      this.#missing -= passed;
      at += passed;
      if (at === piece.length) break;
      const excess = this.#takeOfHead(piece[at] ?? 0);
      if (excess) return excess;
      at += 1;
    }
    return undefined;
  }

  #takeOfHead(octet: number): string | undefined {
    const within = this.#missing > 0;
    if (within) this.#missing -= 1;
    this.#head.push(octet);
    const length = lengthIn(this.#head);
    // A message that ends within a head is malformed; the next octet begins another message.
    if (length === undefined && !(within && this.#missing === 0)) return undefined;
    const [tag = 0] = this.#head;
    this.#head = [];
    return within ? this.#beginElement(tag, length ?? 0) : this.#beginMessage(length ?? 0);
  }

  #beginMessage(length: number): string | undefined {
    if (length > LARGEST_MESSAGE) return `the server sent a message of more than ${LARGEST_MESSAGE / 1024 / 1024} MiB`;
    this.#missing = length;
    this.#elementsOfMessage = 0;
    return undefined;
  }

  #beginElement(tag: number, length: number): string | undefined {
    this.#elements += 1;
    this.#elementsOfMessage += 1;
    if (this.#elementsOfMessage > MAX_ELEMENTS_OF_MESSAGE)
      return `the server sent a message of more than ${MAX_ELEMENTS_OF_MESSAGE} values`;
    if (this.#elements > MAX_ELEMENTS) return `the server sent more than ${MAX_ELEMENTS} values`;
    if ((tag & CONSTRUCTED) === 0) this.#value = Math.min(length, this.#missing);
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

const LF = 0x0a;
const LINE_END = "\r\n";

/** How much of a line is looked at: no size has more digits. */
const LINE_BYTES = 18;

/** Smaller pieces of a body take more memory than their bytes, until they are read. */
export const FRAGMENT_BYTES = 256;

/** What of a piece of a chunked body is what. */
export interface Followed {
  /** Up to the end of the body. */
  readonly size: number;
  /** From here on it is trailers. */
  readonly trailersFrom: number;
  /** Pieces of data that the parser keeps apart, and that are small. */
  readonly fragments: number;
}

/** Follows a chunked body to its end (RFC 9112 section 7.1). What it cannot follow it takes for trailers; the parser refuses that. */
export class ChunkedBody {
  /** Bytes of a chunk, and of the line end behind it, that are still to come. */
  #left = 0;
  /** What has arrived of the line of a size, or of a trailer. */
  #line = "";
  #inTrailers = false;
  #hasEnded = false;
  #fragments = 0;

  /** Follows bytes up to the end of the body. */
  follow(bytes: Buffer): Followed {
    let size = 0;
    this.#fragments = 0;
    let trailersFrom = this.#inTrailers ? 0 : undefined;
    this.#hasEnded = false;
    while (size < bytes.length && !this.#hasEnded) {
      size += this.#left > 0 ? this.#skipData(bytes.length - size) : this.#readLine(bytes, size);
      if (this.#inTrailers) trailersFrom ??= size;
    }
    return { size, trailersFrom: trailersFrom ?? size, fragments: this.#fragments };
  }

  #skipData(length: number): number {
    const size = Math.min(this.#left, length);
    if (this.#left > LINE_END.length && size < FRAGMENT_BYTES) this.#fragments += 1;
    this.#left -= size;
    return size;
  }

  #readLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(LF, from);
    const to = end < 0 ? bytes.length : end + 1;
    const line = bytes.toString("latin1", from, Math.min(to, from + LINE_BYTES));
    this.#line = (this.#line + line).slice(0, LINE_BYTES);
    if (end >= 0) this.#endLine();
    return to - from;
  }

  #endLine(): void {
    const size = Number.parseInt(this.#line, 16);
    if (this.#inTrailers) this.#hasEnded = this.#line === LINE_END;
    else if (size > 0) this.#left = size + LINE_END.length;
    else this.#inTrailers = true;
    this.#line = "";
  }
}

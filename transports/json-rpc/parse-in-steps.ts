import { replyNotUnderstood } from "../../src/core/errors.ts";
import { LongList } from "../../src/core/load/long-list.ts";

const [QUOTE, BACKSLASH, COMMA, COLON] = Buffer.from('"\\,:');
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from("[]{}");

/** Replies of at least this size are parsed in steps, scheduled by the gate. */
export const LONG_BYTES: number = 64 * 1024;

/** A list is long if it is still open at this offset of the message. */
const HEAD_BYTES = 4096;
/** Bytes parsed per step: a fraction of a millisecond. */
const PART_BYTES = 32 * 1024;

/** Where the rows of a reply begin. */
interface Opening {
  readonly at: number;
  readonly depth: number;
  /** The field of the result that holds the rows; undefined when the result is the list itself. */
  readonly field: string | undefined;
}

/**
 * Parses the UTF-8 JSON of a reply like `JSON.parse`. A long list that is the result, or a field of it, is only scanned, in steps: the
 * result is a {@link LongList}, whose parts are parsed lazily. Throws
 * `SyntaxError`.
 */
export function* parseInSteps(message: Buffer): Generator<void, unknown> {
  const opening = findLongList(message);
  if (!opening) return JSON.parse(message.toString());
  const cuts = [opening.at];
  const end = yield* findCuts(message, cuts);
  const rest = JSON.parse(message.toString("utf8", 0, opening.at + 1) + message.toString("utf8", end)) as {
    result: object;
  };
  return { ...rest, result: new LongList(rest.result, opening.field, () => partsOf(message, [...cuts, end])) };
}

/** The rows between each cut and the next one. */
function* partsOf(message: Buffer, cuts: readonly number[]): Generator<readonly unknown[]> {
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    yield parsePart(message.toString("utf8", from + 1, cuts[index + 1]));
  }
}

function parsePart(text: string): readonly unknown[] {
  try {
    const part = JSON.parse(`[${text}]`) as unknown[];
    if (part.length > 0) return part;
    throw new SyntaxError("The JSON has a comma without a value in a list");
  } catch (cause) {
    throw replyNotUnderstood(cause);
  }
}

function findLongList(message: Buffer): Opening | undefined {
  const search = new LongListSearch();
  const length = Math.min(message.length, HEAD_BYTES);
  for (let at = 0; at < length; at += 1) {
    if (message[at] === QUOTE) {
      const end = endOfString(message, at);
      search.lastString = message.toString("utf8", at, end + 1);
      at = end;
    } else {
      search.take(message[at], at);
    }
  }
  return search.found;
}

/** Searches for a list that is the result, or a field of it, and is still open. */
class LongListSearch {
  found: Opening | undefined;
  /** As JSON. */
  lastString = "";
  /** Current keys of the open objects, by depth, as JSON. */
  readonly #keys: string[] = [];
  #depth = 0;

  /** Processes a byte outside strings. */
  take(byte: number | undefined, at: number): void {
    if (byte === COLON) {
      this.#keys[this.#depth] = this.lastString;
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      this.#depth += 1;
      if (byte === OPEN_BRACKET) this.found ??= this.#opening(at);
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      if (this.#depth === this.found?.depth) this.found = undefined;
      this.#depth -= 1;
    }
  }

  #opening(at: number): Opening | undefined {
    const depth = this.#depth;
    if (this.#keys[1] !== '"result"' || depth > 3) return undefined;
    return { at, depth, field: depth === 3 ? (JSON.parse(this.#keys[2] ?? "") as string) : undefined };
  }
}

/** Finds commas between rows at which a list may be cut, and returns where it ends. */
function* findCuts(message: Buffer, cuts: number[]): Generator<void, number> {
  let from = cuts[0] ?? 0;
  let depth = 0;
  for (let at = from + 1; at < message.length; at += 1) {
    const byte = message[at];
    if (byte === QUOTE) at = endOfString(message, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    else if (byte === COMMA && depth === 0 && at - from >= PART_BYTES) {
      cuts.push(at);
      from = at;
      yield;
    }
    if (depth < 0) return at;
  }
  throw new SyntaxError("The JSON ends within a list");
}

/** The closing quote of a string, or the end of a message that lacks it. */
function endOfString(message: Buffer, open: number): number {
  let at = open + 1;
  while (at < message.length && message[at] !== QUOTE) at += message[at] === BACKSLASH ? 2 : 1;
  return at;
}

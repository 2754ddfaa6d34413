const [QUOTE, BACKSLASH, COMMA, COLON] = Buffer.from('"\\,:');
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from("[]{}");

/** Replies from this size on are parsed in steps, as the gate has time for them. */
export const LONG_BYTES: number = 64 * 1024;

/** A long list is one that is still open so far into the message. */
const HEAD_BYTES = 4096;
/** What is parsed at a time: a fraction of a millisecond's work. */
const PART_BYTES = 32 * 1024;

/** Where the rows of a reply begin. */
interface Opening {
  readonly at: number;
  readonly depth: number;
  /** The field of the result that holds the rows; undefined when the result is the list itself. */
  readonly field: string | undefined;
}

/**
 * Parses the JSON of a reply, in UTF-8, as `JSON.parse` does; a list that is long, and is the result or a field of it, is
 * parsed some rows at each step. Throws `SyntaxError`.
 */
export function* parseInSteps(message: Buffer): Generator<void, unknown> {
  const opening = findLongList(message);
  if (!opening) return JSON.parse(message.toString());
  const rows: unknown[] = [];
  const end = yield* readRows(message, opening.at + 1, rows);
  const rest = JSON.parse(message.toString("utf8", 0, opening.at + 1) + message.toString("utf8", end)) as {
    result: unknown;
  };
  fill(rest, opening.field, rows);
  return rest;
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

/** Looks for a list that is the result, or a field of it, and has not ended yet. */
class LongListSearch {
  found: Opening | undefined;
  /** As JSON. */
  lastString = "";
  /** Of the objects that are open, by depth, as JSON. */
  readonly #keys: string[] = [];
  #depth = 0;

  /** Takes a byte that is not in a string. */
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

/** Parses the rows of a list, and returns where it ends. */
function* readRows(message: Buffer, begin: number, rows: unknown[]): Generator<void, number> {
  let from = begin;
  let depth = 0;
  for (let at = begin; at < message.length; at += 1) {
    const byte = message[at];
    if (byte === QUOTE) at = endOfString(message, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    else if (byte === COMMA && depth === 0 && at - from >= PART_BYTES) {
      addPart(message.toString("utf8", from, at), rows);
      from = at + 1;
      yield;
    }
    if (depth < 0) {
      addPart(message.toString("utf8", from, at), rows);
      return at;
    }
  }
  throw new SyntaxError("The JSON ends within a list");
}

function addPart(text: string, rows: unknown[]): void {
  const part = JSON.parse(`[${text}]`) as unknown[];
  if (part.length === 0) throw new SyntaxError("The JSON has a comma without a value in a list");
  for (const row of part) rows.push(row);
}

/** The closing quote of a string, or the end of a message that lacks it. */
function endOfString(message: Buffer, open: number): number {
  let at = open + 1;
  while (at < message.length && message[at] !== QUOTE) at += message[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The list is there, but empty. */
function fill(message: { result: unknown }, field: string | undefined, rows: readonly unknown[]): void {
  const { result } = message;
  const list = field === undefined ? result : (result as Record<string, unknown>)[field];
  for (const row of rows) (list as unknown[]).push(row);
}

import { replyNotUnderstood } from "../../src/core/errors.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import { LongList } from "../../src/core/load/long-list.ts";
import type { Steps } from "../../src/core/load/steps.ts";

const [QUOTE, BACKSLASH, COMMA, COLON] = Buffer.from('"\\,:');
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from("[]{}");

/** Replies to reads of at least this size are parsed at a turn of the gate: the engine may send hundreds at once. */
const TURN_BYTES = 4 * 1024;

/** Replies of at least this size are parsed in steps. */
const LONG_BYTES = 64 * 1024;

/** Whether a reply is parsed at turns of the gate. */
export function takesTurns({ length }: Uint8Array, isForRead: () => boolean): boolean {
  return length >= LONG_BYTES || (length >= TURN_BYTES && isForRead());
}

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
 * result is a {@link LongList}, whose parts are parsed lazily, unless there is no gate. Throws `SyntaxError`.
 */
export function* parseInSteps(message: Buffer, gate: Gate | undefined): Steps<unknown> {
  const opening = gate && message.length >= LONG_BYTES ? findLongList(message) : undefined;
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

/** Finds a list that is the result, or a field of it, and is still open where the head of the message ends. */
function findLongList(message: Buffer): Opening | undefined {
  const length = Math.min(message.length, HEAD_BYTES);
  /** Current keys of the open objects, by depth, as JSON. */
  const keys: string[] = [];
  let depth = 0;
  let found: Opening | undefined;
  let lastString = "";
  for (let at = 0; at < length; at += 1) {
    const byte = message[at];
    if (byte === QUOTE) {
      const end = endOfString(message, at);
      lastString = message.toString("utf8", at, end + 1);
      at = end;
    }
    if (byte === COLON) keys[depth] = lastString;
    depth += nestingOf(byte);
    if (byte === OPEN_BRACKET) found ??= openingAt(at, depth, keys);
    else if (found && depth < found.depth) found = undefined;
  }
  return found;
}

/** How a byte outside strings changes the depth. */
function nestingOf(byte: number | undefined): number {
  if (byte === OPEN_BRACKET || byte === OPEN_BRACE) return 1;
  return byte === CLOSE_BRACKET || byte === CLOSE_BRACE ? -1 : 0;
}

function openingAt(at: number, depth: number, [, inReply, inResult = ""]: readonly string[]): Opening | undefined {
  if (inReply !== '"result"' || depth > 3) return undefined;
  return { at, depth, field: depth === 3 ? (JSON.parse(inResult) as string) : undefined };
}

/** Finds commas between rows at which a list may be cut, and returns where it ends. */
function* findCuts(message: Buffer, cuts: number[]): Steps<number> {
  let from = cuts[0] ?? 0;
  let depth = 0;
  for (let at = from + 1; at < message.length; at += 1) {
    const byte = message[at];
    if (byte === QUOTE) at = endOfString(message, at);
    depth += nestingOf(byte);
    if (depth < 0) return at;
    if (byte === COMMA && depth === 0 && at - from >= PART_BYTES) {
      cuts.push(at);
      from = at;
      yield;
    }
  }
  throw new SyntaxError("The JSON ends within a list");
}

/** The closing quote of a string, or the end of a message that lacks it. */
function endOfString(message: Buffer, open: number): number {
  let at = open + 1;
  while (at < message.length && message[at] !== QUOTE) at += message[at] === BACKSLASH ? 2 : 1;
  return at;
}

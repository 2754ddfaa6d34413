import { AdminError } from "../core/errors.ts";
import type { Sequences } from "../core/load/concurrency.ts";
import type { Gate } from "../core/load/gate.ts";
import type { Priority } from "../core/load/stop-priority.ts";
import type { Turns } from "../core/load/turns.ts";
import type { BodyQuota, HttpRequest } from "./message.ts";
import { checkParsed, parseJson, parseJsonInTurns } from "./parse-json.ts";

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?$/i;

/** Size from which on a body is parsed at turns, and from which on that of a stop waits for its turn. No stop needs as much. */
export const LONG_BODY = 16 * 1024;

/** Objects and arrays of a long body beyond those that its input takes: which field has too many is reported once it has been read. */
const SPARE_CONTAINERS = 120_000;

/** The user of a body, and the limits for reading it. */
export interface BodyReading {
  readonly maxBytes: number;
  readonly room: BodyQuota;
  readonly gate: Gate;
  readonly user: string;
  readonly priority: Priority;
  /** Objects and arrays that the input takes. */
  readonly maxContainers: number;
  /** Parses the long bodies of a user one after the other: a parsed one takes several times its bytes. */
  readonly sequences: Sequences;
}

/**
 * Reads the JSON body of a request. No body, white space and `null`, which generated clients send for an omitted body, count as `{}`
 * (decision D-HTTP 16).
 * Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `BAD_REQUEST`, or `ENGINE_OVERLOADED` when too many bodies are arriving.
 */
export async function readJsonBody(request: HttpRequest, reading: BodyReading): Promise<unknown> {
  const { maxBytes, room, gate, user, priority, maxContainers, sequences } = reading;
  const length = declaredLength(request);
  if (length === 0) return {};
  if (length !== undefined) checkMediaType(request);
  if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes);
  try {
    const body = await request.readBody(maxBytes, room);
    const turn = gate.admit(user, priority);
    if (turn) await turn;
    if (body.kind === "bytes" && body.bytes.byteLength === 0) return {};
    checkMediaType(request);
    if (body.kind === "parsed") return checkParsed(body.value) ?? {};
    if (body.bytes.byteLength < LONG_BODY) return parseShort(body.bytes) ?? {};
    const parse = (): Promise<unknown> => parseLong(body.bytes, SPARE_CONTAINERS + maxContainers, gate.turns(user));
    return (await sequences.run(user, parse)) ?? {};
  } finally {
    room.release();
  }
}

/** The error for a body above the limit. */
export function tooLarge(maxBytes: number): AdminError {
  return new AdminError("BODY_TOO_LARGE", `The request body is larger than ${maxBytes} bytes`);
}

/** Length declared by the headers: 0 without a body, undefined where they do not say it. */
function declaredLength(request: HttpRequest): number | undefined {
  if (request.header("transfer-encoding") !== undefined) return undefined;
  const length = request.header("content-length");
  if (length === undefined) return request.isBodyDeclared ? 0 : undefined;
  return Number(length);
}

function checkMediaType(request: HttpRequest): void {
  const encoding = request.header("content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new AdminError("UNSUPPORTED_MEDIA_TYPE", `Content-Encoding ${JSON.stringify(encoding)} is not supported`);
  }
  const type = request.header("content-type");
  if (type !== undefined && JSON_TYPE.test(type.trim())) return;
  const found = type === undefined ? "it is missing" : `it is ${JSON.stringify(type)}`;
  throw new AdminError("UNSUPPORTED_MEDIA_TYPE", `Content-Type must be application/json in UTF-8; ${found}`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** White space of JSON (RFC 8259 section 2). */
const BLANK = /^[ \t\n\r]*$/;

function parseShort(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  return BLANK.test(text) ? undefined : parseJson(text);
}

async function parseLong(bytes: Uint8Array, maxContainers: number, turns: Turns): Promise<unknown> {
  if (turns.isOver()) await turns.next();
  const text = decodeUtf8(bytes);
  return BLANK.test(text) ? undefined : parseJsonInTurns(text, maxContainers, turns);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AdminError("BAD_REQUEST", "The request body is not valid UTF-8", { cause });
  }
}

import { AdminError } from "../core/errors.ts";
import type { HttpRequest, RequestBody } from "./message.ts";

const MAX_DEPTH = 32;
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?$/i;

/**
 * Reads the JSON body of a request; a request without one counts as `{}` (decision D-HTTP 5).
 * Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` or `BAD_REQUEST`.
 */
export async function readJsonBody(request: HttpRequest, maxBytes: number): Promise<unknown> {
  const length = declaredLength(request);
  if (length === 0) return {};
  if (length !== undefined) checkMediaType(request);
  if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes);
  const body = await request.readBody(maxBytes);
  if (isEmpty(body)) return {};
  checkMediaType(request);
  return body.kind === "bytes" ? parseJson(body.bytes) : checkParsed(body.value);
}

/** The error for a body beyond the limit. */
export function tooLarge(maxBytes: number): AdminError {
  return new AdminError("BODY_TOO_LARGE", `The request body is larger than ${maxBytes} bytes`);
}

/** Length that the headers declare: 0 without a body, undefined when it shows only in reading. */
function declaredLength(request: HttpRequest): number | undefined {
  if (request.header("transfer-encoding") !== undefined) return undefined;
  return Number(request.header("content-length") ?? 0);
}

function isEmpty(body: RequestBody): boolean {
  return body.kind === "bytes" && body.bytes.byteLength === 0;
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

/** Parses JSON strictly: UTF-8, no duplicate or `__proto__` keys, at most 32 levels. Throws `BAD_REQUEST`. */
function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AdminError("BAD_REQUEST", "The request body is not valid JSON", { cause });
  }
  checkKeys(text);
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AdminError("BAD_REQUEST", "The request body is not valid UTF-8", { cause });
  }
}

/** Tokens that matter for keys and depth, in a text that is known to be JSON; a key is a string before a colon. */
const TOKENS = /[{}[\]]|"(?:[^"\\]|\\.)*"(\s*:)?/g;

function checkKeys(text: string): void {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") {
      open.push(new Set());
      if (open.length > MAX_DEPTH) throw tooDeep();
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (colon !== undefined) {
      checkKey(JSON.parse(token.slice(0, -colon.length)) as string, open.at(-1));
    }
  }
}

function checkKey(key: string, siblings: Set<string> | undefined): void {
  if (key === "__proto__") throw forbiddenKey();
  if (siblings?.has(key)) {
    throw new AdminError("BAD_REQUEST", `The request body holds the key ${JSON.stringify(key)} twice in one object`);
  }
  siblings?.add(key);
}

/** Checks what can still be checked of a value that another parser made; duplicate keys are gone by then. */
function checkParsed(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) throw tooDeep();
  if (Object.hasOwn(value, "__proto__")) throw forbiddenKey();
  for (const field of Object.values(value)) checkParsed(field, depth + 1);
  return value;
}

function tooDeep(): AdminError {
  return new AdminError("BAD_REQUEST", `The request body is nested deeper than ${MAX_DEPTH} levels`);
}

function forbiddenKey(): AdminError {
  return new AdminError("BAD_REQUEST", 'The request body holds the key "__proto__"');
}

/** Name and password of an `Authorization: Basic` header. */
export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/** Longest header that is looked at, in characters. */
export const MAX_HEADER_LENGTH = 4096;

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads an `Authorization` header of the Basic scheme (RFC 7617): scheme in any case, canonical padded base64, UTF-8, the
 * first colon ends the name, no control characters. Undefined for everything else, another scheme (decision D-AUTH 4) and
 * an empty name or password (decision D-UAC 1) included.
 */
export function parseBasicCredentials(authorization: string): BasicCredentials | undefined {
  if (authorization.length > MAX_HEADER_LENGTH) return undefined;
  const base64 = BASIC.exec(authorization)?.[1];
  const text = base64 === undefined ? undefined : decode(base64);
  if (text === undefined || /\p{Cc}/u.test(text)) return undefined;
  const colon = text.indexOf(":");
  if (colon < 1 || colon === text.length - 1) return undefined;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

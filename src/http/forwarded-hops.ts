/** Addresses as proxies wrote them, the nearest first. Each is read when it is asked for, and no character twice. */
type Hops = Generator<string, void, undefined>;

/** `X-Forwarded-For: client, proxy1, proxy2`, from its end. */
export function* xForwardedForHops(value: string): Hops {
  for (let end = value.length; end > 0; ) {
    const comma = value.lastIndexOf(",", end - 1);
    const hop = value.slice(comma + 1, end).trim();
    if (hop !== "") yield hop;
    end = comma;
  }
}

/**
 * `Forwarded: for=client, for="[2001:db8::1]:4711";proto=https` (RFC 7239), from its end: a quote that a caller left open
 * must not swallow what a proxy wrote. Ends at an element that is not one; an element without `for` is an empty hop.
 */
export function* forwardedHops(value: string): Hops {
  for (let end = value.length; end > 0; ) {
    const comma = lastCommaOutsideQuotes(value, end);
    const hop = comma === undefined ? undefined : forOf(value.slice(comma + 1, end));
    if (comma === undefined || hop === undefined) return;
    yield hop;
    end = comma;
  }
}

/** Place of the last comma before `end` that separates elements; -1 when there is none, undefined when a quote stays open. */
function lastCommaOutsideQuotes(value: string, end: number): number | undefined {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (value[at] === ",") return at;
    if (value[at] !== '"') continue;
    at = openingQuote(value, at);
    if (at < 0) return undefined;
  }
  return -1;
}

/** Place of the nearest quote before `closing` that is not escaped; -1 when there is none. */
function openingQuote(value: string, closing: number): number {
  let quote = closing;
  do quote = quote > 0 ? value.lastIndexOf('"', quote - 1) : -1;
  while (quote >= 0 && isEscaped(value, quote));
  return quote;
}

function isEscaped(value: string, at: number): boolean {
  let backslashes = 0;
  while (value[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

const PAIR = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^",;\s]*))\s*(;|$)/y;

/** The `for` of an element; empty when it has none, undefined when this is no element. */
function forOf(element: string): string | undefined {
  let hop: string | undefined;
  PAIR.lastIndex = 0;
  for (;;) {
    const match = PAIR.exec(element);
    if (match === null) return undefined;
    const [, name = "", quoted, token = "", separator] = match;
    if (name.toLowerCase() === "for") hop ??= quoted?.replace(/\\(.)/g, "$1") ?? token;
    if (separator === "") return hop ?? "";
  }
}

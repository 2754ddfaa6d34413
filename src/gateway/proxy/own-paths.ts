/** Characters examined for one target; a target that needs more is an attack. */
const MAX_WORK = 32 * 1024;
/** Fixed cost of a reading. */
const READING_WORK = 1024;

/** An unambiguous path: no escapes, parameters, backslashes, dot segments or empty segments. */
const PLAIN = /^(?:\/[\w~!$&'()*+,=:@-][\w.~!$&'()*+,=:@-]*)*\/?$/;

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** An ASCII character in two or three bytes, as lenient decoders of UTF-8 accept it. */
const OVERLONG = /[\xc0\xc1][\x80-\xbf]|\xe0[\x80\x81][\x80-\xbf]/g;

/** Ways in which servers normalize a path, in any order. */
const REWRITES: readonly ((path: string) => string)[] = [
  decodeOnce,
  (path) => path.replaceAll("\\", "/"),
  // Path parameters: `/api;v=1/admin`, `/..;/api`.
  (path) => path.replace(/;[^/]*/g, ""),
  (path) => path.replace(/\/{2,}/g, "/"),
  (path) => `/${walked(path, () => false).join("/")}`,
  // A second query delimiter, or a string that ends at a zero byte.
  (path) => path.replace(/[?#\0].*/s, ""),
  // `//host/path` is an address without a scheme.
  (path) => path.replace(/^\/{2,}[^/]*/, ""),
];

/**
 * Whether any server could read a request target as one of our paths or a path below: unchanged, or after decoding, removal of
 * parameters, empty and dot segments, and case folding, in any order and as often as it changes something. Such a target
 * must not be forwarded, since the monitor might read it so.
 */
export function claimer(ownPaths: readonly string[]): (target: string) => boolean {
  const own = ownPaths.map((path) => path.toLowerCase());
  const ownSegments = own.map((path) => path.split("/").slice(1));
  return (target) => {
    if (PLAIN.test(target)) return startsWithAny(target.toLowerCase(), own);
    const path = target.replace(ORIGIN, "").replace(/\?.*/s, "");
    if (PLAIN.test(path)) return startsWithAny(path.toLowerCase(), own);
    const readings = new Set([path]);
    let work = 0;
    for (const reading of readings) {
      work += reading.length + READING_WORK;
      if (work > MAX_WORK || touches(reading.toLowerCase(), ownSegments)) return true;
      for (const rewrite of REWRITES) readings.add(rewrite(reading));
    }
    return false;
  };
}

function startsWithAny(path: string, own: readonly string[]): boolean {
  return own.some((base) => path.startsWith(base) && (path.length === base.length || path[base.length] === "/"));
}

/** Whether resolving the segments passes one of the paths. */
function touches(path: string, own: readonly (readonly string[])[]): boolean {
  let touched = false;
  walked(path, (segments) => {
    touched = own.some((base) => base.length === segments.length && base.every((name, at) => name === segments[at]));
    return touched;
  });
  return touched;
}

/** The segments of a path without dot segments, which go up when they are met. Stops when `until` says so of those so far. */
function walked(path: string, until: (segments: readonly string[]) => boolean): string[] {
  const segments: string[] = [];
  for (const segment of path.split("/").slice(1)) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
    if (until(segments)) break;
  }
  return segments;
}

function decodeOnce(path: string): string {
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bytes.replace(OVERLONG, (text) => {
    const [high = 0, low = 0] = [...text].slice(-2).map((byte) => byte.charCodeAt(0));
    return String.fromCharCode(((high & 0x3f) << 6) | (low & 0x3f));
  });
}

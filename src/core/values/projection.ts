import { listLike, type Needed, requireArgument, textLike } from "../options.ts";

/** The keys of the position/risk tree, case-sensitive. */
export const STANDARD_PROJECTION_KEYS = [
  "Source",
  "Destination",
  "Account",
  "Trader",
  "TraderGroup",
  "Exchange",
  "UserData",
  "Symbol",
  "RootSymbol",
  "Currency",
  "ModuleKey",
  "PortfolioKey",
] as const;

/** Instrument keys: a position projection needs one of them; `symbol` has the value of the first one present. */
export const SYMBOL_KEYS = ["Symbol", "RootSymbol", "Currency"] as const;

const symbolKeys: ReadonlySet<string> = new Set(SYMBOL_KEYS);

/** Field of a position with the value of a projection key. */
export function positionField(key: string): string {
  return symbolKeys.has(key) ? "symbol" : key.charAt(0).toLowerCase() + key.slice(1);
}

/** Filter of `POST /positions` for a projection key: the field's name, but `traderId` for `Trader` (decision D-VAL 6). */
export function positionFilter(key: string): string {
  return key === "Trader" ? "traderId" : positionField(key);
}

/** How a projection key is spelt. */
export const PROJECTION_KEY = /^[A-Z][A-Za-z0-9]*$/;

/** Projection keys of an installation: the standard ones and its own. */
export type ProjectionKeys = ReadonlySet<string>;

const PROJECTION = textLike('"Exchange/Symbol"');
const KEYS = listLike('["Exchange", "Symbol"]');
const SEGMENTS = listLike('[{ key: "Account", value: "GOLD" }]');
const PROJECTION_PATH = textLike('"Account[A1]/Symbol[BTC/USD]"');
const STANDARD_KEYS: ProjectionKeys = new Set(STANDARD_PROJECTION_KEYS);

const OWN_KEY: Needed = {
  like: '"Desk", a capital letter, then letters and digits',
  fits: (value) => typeof value === "string" && PROJECTION_KEY.test(value),
};

/** Merges the standard keys with those of a setting. */
export function projectionKeys(additional: Iterable<string> = []): ProjectionKeys {
  requireArgument("projectionKeys", "additional", additional, listLike('["Desk"]'));
  const own = [...additional];
  for (const key of own) requireArgument("projectionKeys", "key", key, OWN_KEY);
  return new Set([...STANDARD_PROJECTION_KEYS, ...own]);
}

class AnyKey extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/** For those who cannot know which keys an installation has. */
export const ANY_PROJECTION_KEY: ProjectionKeys = new AnyKey();

/** One `Key[value]` step of a projection path. */
export interface PathSegment {
  /** Projection key, such as `Account`. */
  readonly key: string;
  /** Its value, such as `GOLD`. */
  readonly value: string;
}

/** A text is not a projection, or not a projection path; `message` says what is wrong with it. */
export class ProjectionSyntaxError extends Error {
  override readonly name = "ProjectionSyntaxError";
}

/** Says which keys there are: whoever typed another one has to look for them otherwise. */
export function unknownProjectionKey(key: string, known: ProjectionKeys): string {
  return `unknown projection key ${JSON.stringify(key)} (known: ${[...known].join(", ")})`;
}

function checkKey(key: string, seen: Iterable<string>, known: ProjectionKeys): void {
  if (!known.has(key)) throw new ProjectionSyntaxError(unknownProjectionKey(key, known));
  for (const other of seen) {
    if (other === key) throw new ProjectionSyntaxError(`projection key "${key}" is given twice`);
  }
}

/**
 * Parses a projection such as `Exchange/Symbol` into its keys, in order; the empty string is the root, `[]`.
 * Throws {@link ProjectionSyntaxError} that names an unknown or repeated key. (Specification, convention 5.)
 *
 * @example
 * parseProjection("Exchange/Symbol"); // ["Exchange", "Symbol"]
 */
export function parseProjection(text: string, known: ProjectionKeys = STANDARD_KEYS): string[] {
  requireArgument("parseProjection", "text", text, PROJECTION);
  if (text === "") return [];
  const keys: string[] = [];
  for (const key of text.split("/")) {
    checkKey(key, keys, known);
    keys.push(key);
  }
  return keys;
}

/** Prints keys as a projection; the inverse of {@link parseProjection}. */
export function printProjection(keys: readonly string[]): string {
  requireArgument("printProjection", "keys", keys, KEYS);
  return keys.join("/");
}

/**
 * Parses a projection path such as `Account[A1]/Symbol[BTC/USD]`; the empty string is the root, `[]`.
 * A value may hold `/`; a `]` ends it only at the end of the text or before `/`. Throws {@link ProjectionSyntaxError}
 * for an unknown or repeated key, an empty value and anything between segments. (Convention 4.)
 *
 * @example
 * parseProjectionPath("Symbol[BTC/USD]"); // [{ key: "Symbol", value: "BTC/USD" }]
 */
export function parseProjectionPath(text: string, known: ProjectionKeys = STANDARD_KEYS): PathSegment[] {
  requireArgument("parseProjectionPath", "text", text, PROJECTION_PATH);
  const segments: PathSegment[] = [];
  let at = 0;
  while (at < text.length) {
    const { segment, end } = readSegment(text, at);
    checkKey(
      segment.key,
      segments.map((other) => other.key),
      known,
    );
    segments.push(segment);
    if (end === text.length - 1) throw new ProjectionSyntaxError('ends with "/"');
    at = end + 1;
  }
  return segments;
}

/** Reads the segment that starts at `from`; `end` is the index of the `/` behind it, or the length of the text. */
function readSegment(text: string, from: number): { segment: PathSegment; end: number } {
  const open = text.indexOf("[", from);
  if (open < 0) {
    const rest = JSON.stringify(text.slice(from));
    throw new ProjectionSyntaxError(`expected Key[value] segments joined by "/", found ${rest}`);
  }
  const key = text.slice(from, open);
  const close = findClose(text, open + 1);
  if (close < 0) throw new ProjectionSyntaxError(`segment "${key}[" is not closed by "]"`);
  if (close === open + 1) throw new ProjectionSyntaxError(`segment "${key}[]" has an empty value`);
  return { segment: { key, value: text.slice(open + 1, close) }, end: close + 1 };
}

function findClose(text: string, from: number): number {
  for (let at = text.indexOf("]", from); at >= 0; at = text.indexOf("]", at + 1)) {
    if (at + 1 === text.length || text[at + 1] === "/") return at;
  }
  return -1;
}

/**
 * Prints segments as a projection path; the inverse of {@link parseProjectionPath}.
 * Throws {@link ProjectionSyntaxError} for a value that no path can hold: an empty one, or one with `]/` inside.
 */
export function printProjectionPath(segments: readonly PathSegment[]): string {
  requireArgument("printProjectionPath", "segments", segments, SEGMENTS);
  return segments.map(printSegment).join("/");
}

function printSegment({ key, value }: PathSegment): string {
  if (value === "") throw new ProjectionSyntaxError(`the value of projection key "${key}" is empty`);
  if (value.includes("]/")) throw new ProjectionSyntaxError(`the value of projection key "${key}" holds "]/"`);
  return `${key}[${value}]`;
}

/** The keys of a projection, in its order; none for the root. */
export function keysOf(projection: string): string[] {
  return projection === "" ? [] : projection.split("/");
}

import { closest, distance } from "fastest-levenshtein";
import { type Problem, settingProblem } from "./configuration-error.ts";
import { canonicalKey, type Property } from "./property.ts";
import { REMOVED_KEYS, SETTING_KEYS, type SettingKey } from "./settings.ts";

const KNOWN = new Map(SETTING_KEYS.map((key) => [canonicalKey(key), key]));
const REMOVED = new Map(Object.entries(REMOVED_KEYS).map(([key, replacement]) => [canonicalKey(key), replacement]));

/** Settings that are given, each by the property that gives it, and what is wrong with the keys. */
export interface Matched {
  readonly given: ReadonlyMap<SettingKey, Property>;
  readonly problems: readonly Problem[];
}

/** Finds the setting of each property by its key, in whatever spelling; values are not checked. */
export function matchProperties(properties: readonly Property[]): Matched {
  const given = new Map<SettingKey, Property>();
  const problems: Problem[] = [];
  for (const property of properties) {
    const key = KNOWN.get(canonicalKey(property.key));
    const earlier = key && given.get(key);
    if (key && !earlier) given.set(key, property);
    const reason = key ? earlier && repeated(property, earlier) : misplaced(property);
    if (reason) problems.push(settingProblem(property.origin, reason));
  }
  return { given, problems };
}

function repeated({ key }: Property, earlier: Property): string {
  return `${quoted(key)} was already given on line ${earlier.origin.line} as ${quoted(earlier.key)}`;
}

/** What is wrong with a property that is no setting; nothing, if it is a section that was left empty. */
function misplaced({ key, value }: Property): string | undefined {
  const replacement = REMOVED.get(canonicalKey(key));
  if (replacement !== undefined) return `${quoted(key)} is no longer supported; use ${quoted(replacement)} instead`;
  const below = SETTING_KEYS.filter((known) => canonicalKey(known).startsWith(`${canonicalKey(key)}.`));
  if (below.length === 0) return `unknown key ${quoted(key)}${suggestion(key)}`;
  if (isEmpty(value)) return undefined;
  return `${quoted(key)} is a section, not a setting; it holds ${below.map(quoted).join(", ")}`;
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** The nearest known key, if so near that a slip of the keyboard explains the difference. */
function suggestion(key: string): string {
  const canonical = canonicalKey(key);
  const nearest = closest(canonical, [...KNOWN.keys()]);
  if (distance(canonical, nearest) > Math.min(3, canonical.length / 5)) return "";
  return `; did you mean ${quoted(KNOWN.get(nearest) ?? nearest)}?`;
}

function quoted(key: string): string {
  return JSON.stringify(key);
}

import { closest, distance } from "fastest-levenshtein";
import { withoutSecrets } from "../core/urls.ts";
import { type Problem, settingProblem } from "./configuration-error.ts";
import { canonicalKey, originText, type Property, type PropertySource } from "./property.ts";
import { type SettingTarget, SINGLE_SETTINGS, settingTarget, targetKey } from "./setting-target.ts";
import { FOREIGN_SECTIONS, REMOVED_KEYS, SETTING_KEYS, type SettingKey, settingInfo } from "./settings.ts";

const REMOVED = new Map(Object.entries(REMOVED_KEYS).map(([key, replacement]) => [canonicalKey(key), replacement]));

/** A setting and the property that gives it, as it was written. */
export interface GivenProperty {
  readonly target: SettingTarget;
  readonly property: Property;
}

/** Settings that are given, by their keys, and what is wrong with the keys. */
export interface Matched {
  readonly given: ReadonlyMap<string, GivenProperty>;
  readonly problems: readonly Problem[];
}

/**
 * Finds the setting of each property by its key, in whatever spelling, and for each setting the first source that gives it;
 * null does not give, except for what restricts. Values are not checked.
 */
export function matchSources(sources: readonly PropertySource[]): Matched {
  const matched = sources.map(matchProperties);
  const given = new Map<string, GivenProperty>();
  for (const [key, entry] of matched.flatMap((source) => [...source.given])) {
    if (!given.has(key) && gives(entry)) given.set(key, entry);
  }
  return { given, problems: matched.flatMap(({ problems }) => problems) };
}

function gives({ target, property }: GivenProperty): boolean {
  return property.value !== null || settingInfo(target.key).restricts === true;
}

function matchProperties(source: PropertySource): Matched {
  const given = new Map<string, GivenProperty>();
  const { properties, problems: elementProblems } = joinListElements(source.properties);
  const problems = [...elementProblems];
  for (const property of properties) {
    const target = settingTarget(property.key);
    const reason = target ? put(given, { target, property }) : misplaced(property, source.strict);
    if (reason) problems.push(settingProblem(property.origin, reason));
  }
  return { given, problems };
}

function put(given: Map<string, GivenProperty>, entry: GivenProperty): string | undefined {
  const key = targetKey(entry.target);
  const earlier = given.get(key);
  if (earlier) return repeated(entry.property, earlier.property);
  given.set(key, entry);
  return undefined;
}

function repeated({ key }: Property, { key: earlierKey, origin }: Property): string {
  const place =
    origin.source === "file" ? `on line ${origin.line} as ${quoted(earlierKey)}` : `by ${originText(origin)}`;
  return `${quoted(key)} was already given ${place}`;
}

/** The problem with a property that is not a setting; undefined for keys of other programs, and for most empty sections. */
function misplaced({ key, value }: Property, strict: boolean): string | undefined {
  const replacement = REMOVED.get(canonicalKey(key));
  if (replacement !== undefined) return `${quoted(key)} is no longer supported; use ${quoted(replacement)} instead`;
  if (!strict) return undefined;
  const below = SETTING_KEYS.filter((known) => canonicalKey(known).startsWith(`${canonicalKey(key)}.`));
  if (below.length === 0 && isForeign(key)) return undefined;
  if (below.length === 0) return `unknown key ${quoted(key)}${suggestion(key)}`;
  if (value === null) return emptied(key, below);
  if (typeof value === "object" && Object.keys(value).length === 0) return undefined;
  return `${quoted(key)} is a section, not a setting; it holds ${below.map(quoted).join(", ")}`;
}

/** The problem with a section whose lines are all commented out, if what restricts stands there. */
function emptied(key: string, below: readonly SettingKey[]): string | undefined {
  const depth = key.split(".").length + 1;
  const restricting = below.filter((known) => settingInfo(known).restricts && known.split(".").length === depth);
  if (restricting.length === 0) return undefined;
  return `${quoted(key)} is empty, and would restrict nobody; remove it, or give ${restricting.map(quoted).join(" or ")} a value`;
}

function isForeign(key: string): boolean {
  return FOREIGN_SECTIONS.some((section) => canonicalKey(key).startsWith(`${canonicalKey(section)}.`));
}

/** The nearest known key, if so near that a slip of the keyboard explains the difference; else one that lacks parts of its path. */
function suggestion(key: string): string {
  const canonical = canonicalKey(key);
  const known = [...SINGLE_SETTINGS.keys()];
  const nearest = closest(canonical, known);
  const isNear = distance(canonical, nearest) <= Math.min(3, canonical.length / 5);
  const meant = isNear ? nearest : onlyOneBelow(canonical, known);
  if (meant === undefined) return "";
  return `; did you mean ${quoted(SINGLE_SETTINGS.get(meant) ?? meant)}?`;
}

/** The only known key that has this one's last part, and its first part where it has several. */
function onlyOneBelow(key: string, known: readonly string[]): string | undefined {
  const start = key.includes(".") ? key.slice(0, key.indexOf(".") + 1) : "";
  const [found, ...others] = known.filter(
    (other) => other.startsWith(start) && other.endsWith(`.${key.slice(key.lastIndexOf(".") + 1)}`),
  );
  return others.length === 0 ? found : undefined;
}

function quoted(key: string): string {
  return withoutSecrets(JSON.stringify(key));
}

/** `audiences[0]`, but not the name in brackets of `authorityMapping.[7]`. */
const ELEMENT = /^(.*[^.])\[(\d+)\]$/;

interface Joined {
  readonly properties: readonly Property[];
  readonly problems: readonly Problem[];
}

/**
 * Joins the elements `key[0]`, `key[1]` of a list setting to one property with the list, which stands where the first of them
 * stood. Elements must be numbered from 0 without a gap, as in Spring.
 */
function joinListElements(properties: readonly Property[]): Joined {
  const lists = new Map<string, ElementList>();
  const problems: Problem[] = [];
  const joined = properties.flatMap((property): (Property | ElementList)[] => {
    const element = elementOf(property.key);
    if (element === undefined) return [property];
    const known = lists.get(element.list);
    const list = known ?? { key: element.key, elements: new Map<number, Property>() };
    lists.set(element.list, list);
    if (!list.elements.has(element.index)) list.elements.set(element.index, property);
    else problems.push(settingProblem(property.origin, `${JSON.stringify(property.key)} was already given`));
    return known ? [] : [list];
  });
  const result = joined.flatMap((entry) => ("elements" in entry ? propertyOf(entry, problems) : [entry]));
  return { properties: result, problems };
}

interface ElementList {
  readonly key: string;
  readonly elements: Map<number, Property>;
}

function elementOf(
  written: string,
): { readonly list: string; readonly key: string; readonly index: number } | undefined {
  const [, key = "", index = ""] = ELEMENT.exec(written) ?? [];
  const target = settingTarget(key);
  if (target === undefined || !settingInfo(target.key).list) return undefined;
  return { list: targetKey(target), key, index: Number(index) };
}

function propertyOf({ key, elements }: ElementList, problems: Problem[]): Property[] {
  const inOrder = [...elements].sort(([a], [b]) => a - b);
  const gap = inOrder.findIndex(([index], position) => index !== position);
  const sorted = inOrder.map(([, property]) => property);
  const first = sorted[Math.max(gap, 0)];
  if (first === undefined) return [];
  if (gap >= 0) problems.push(settingProblem(first.origin, `${JSON.stringify(`${key}[${gap}]`)} is missing`));
  const fault = sorted.find((property) => property.fault !== undefined)?.fault;
  const value = sorted.map((property) => property.value);
  return [{ key, value, origin: first.origin, ...(fault !== undefined && { fault }) }];
}

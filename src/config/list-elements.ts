import { type Problem, settingProblem } from "./configuration-error.ts";
import type { Property } from "./property.ts";
import { settingTarget, targetKey } from "./setting-target.ts";
import { settingInfo } from "./settings.ts";

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
export function joinListElements(properties: readonly Property[]): Joined {
  const lists = new Map<string, ElementList>();
  const problems: Problem[] = [];
  const joined = properties.flatMap((property): (Property | ElementList)[] => {
    const element = elementOf(property.key);
    if (element === undefined) return [property];
    const known = lists.get(element.list);
    const list = known ?? new ElementList(element.key);
    lists.set(element.list, list);
    if (!list.add(element.index, property)) problems.push(settingProblem(property.origin, repeated(property.key)));
    return known ? [] : [list];
  });
  const result = joined.flatMap((entry) => (entry instanceof ElementList ? entry.join(problems) : [entry]));
  return { properties: result, problems };
}

function elementOf(
  written: string,
): { readonly list: string; readonly key: string; readonly index: number } | undefined {
  const [, key = "", index = ""] = ELEMENT.exec(written) ?? [];
  const target = settingTarget(key);
  if (target === undefined || !settingInfo(target.key).list) return undefined;
  return { list: targetKey(target), key, index: Number(index) };
}

function repeated(key: string): string {
  return `${JSON.stringify(key)} was already given`;
}

class ElementList {
  readonly #key: string;
  readonly #elements = new Map<number, Property>();

  constructor(key: string) {
    this.#key = key;
  }

  add(index: number, property: Property): boolean {
    if (this.#elements.has(index)) return false;
    this.#elements.set(index, property);
    return true;
  }

  join(problems: Problem[]): Property[] {
    const elements = [...this.#elements].sort(([a], [b]) => a - b);
    const gap = elements.findIndex(([index], position) => index !== position);
    const sorted = elements.map(([, property]) => property);
    const first = sorted[Math.max(gap, 0)];
    if (first === undefined) return [];
    if (gap >= 0) problems.push(settingProblem(first.origin, `${JSON.stringify(`${this.#key}[${gap}]`)} is missing`));
    const fault = sorted.find((property) => property.fault !== undefined)?.fault;
    const value = sorted.map((property) => property.value);
    return [{ key: this.#key, value, origin: first.origin, ...(fault !== undefined && { fault }) }];
  }
}

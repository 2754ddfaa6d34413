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

import type { Entry } from "ldapts";

/** The values of an attribute; names of attributes have no case. Empty when the entry has none. */
export function valuesOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const key = Object.keys(entry).find((name) => name.toLowerCase() === wanted);
  const values = key === undefined ? [] : [entry[key] ?? []].flat();
  return values.map((value) => value.toString());
}

/** Key under which a distinguished name is looked up: without case. Servers spell the name of one entry always alike. */
export function dnKey(dn: string): string {
  return dn.toLowerCase();
}

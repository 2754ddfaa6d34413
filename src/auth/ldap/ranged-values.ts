import type { Entry } from "ldapts";
import { quoted } from "../security-file-error.ts";
import { type LdapConnection, LdapDirectoryError } from "./connection.ts";

/**
 * All values of an attribute. Active Directory gives those of a large one in parts, as `member;range=0-1499`, and each further
 * part when it is asked for (MS-ADTS section 3.1.1.3.1.3.3).
 *
 * @throws LdapDirectoryError when a part is missing: what it holds would look as if it were not there.
 */
export async function allValuesOf(
  connection: LdapConnection,
  entry: Entry,
  attribute: string,
): Promise<readonly string[]> {
  const values = [...valuesOf(entry, attribute)];
  let part = partIn(entry, attribute);
  while (part) {
    values.push(...valuesOf(part.entry, part.name));
    if (part.end === "*") break;
    const next = `${attribute};range=${Number(part.end) + 1}-*`;
    const more = await connection.read(entry.dn, [next]);
    part = more && partIn(more, attribute);
    if (!part) throw new LdapDirectoryError(`${quoted(entry.dn)}: the server does not give ${quoted(next)}`);
  }
  return values;
}

interface Part {
  readonly entry: Entry;
  /** The attribute with its range. */
  readonly name: string;
  /** Number of the last value, or `*` when it is the last of all. */
  readonly end: string;
}

function partIn(entry: Entry, attribute: string): Part | undefined {
  const start = `${attribute};range=`.toLowerCase();
  for (const name of Object.keys(entry)) {
    const end = name.toLowerCase().startsWith(start) ? /^\d+-(\d+|\*)$/.exec(name.slice(start.length))?.[1] : undefined;
    if (end !== undefined && valuesOf(entry, name).length > 0) return { entry, name, end };
  }
  return undefined;
}

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

/** Names of nested objects from the claims of a token down to a value. */
export type ClaimPath = readonly string[];

const SEGMENT = /\.?([^.[\]"'\s/]+)|\[(?:"([^"]+)"|'([^']+)')\]/y;

/**
 * Reads a path such as `roles`, `realm_access.roles` or `resource_access["my.client"].roles`. A name with a dot, a slash or a
 * blank stands in brackets and quotes.
 *
 * @throws TypeError when the text is no such path.
 */
export function parseClaimPath(text: string): ClaimPath {
  const path: string[] = [];
  let position = 0;
  while (position < text.length) {
    SEGMENT.lastIndex = position;
    const match = SEGMENT.exec(text);
    const name = match?.[1] ?? match?.[2] ?? match?.[3];
    const startsRight = position === 0 ? !text.startsWith(".") : text[position] === "." || text[position] === "[";
    if (name === undefined || !startsRight) throw notAPath(text);
    path.push(name);
    position = SEGMENT.lastIndex;
  }
  if (path.length === 0) throw notAPath(text);
  return path;
}

function notAPath(text: string): TypeError {
  return new TypeError(
    `${JSON.stringify(text)} is no path to a claim; write names joined by dots, and a name with other characters as ["name"]`,
  );
}

/** The value at a path; undefined when a name on the way is missing or not an object. */
export function claimAt(claims: object, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

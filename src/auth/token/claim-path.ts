/** Names of nested objects from the claims of a token down to a value. */
export type ClaimPath = readonly string[];

const SEGMENT = /\.([^.[\]"'\s/]+)|\[(?:"([^"]+)"|'([^']+)')\]/g;

/**
 * Reads a path such as `roles`, `realm_access.roles` or `resource_access["my.client"].roles`. A name with a dot, a slash or a
 * blank stands in brackets and quotes.
 *
 * @throws TypeError when the text is not such a path.
 */
export function parseClaimPath(text: string): ClaimPath {
  const whole = text.startsWith("[") ? text : `.${text}`;
  const segments = [...whole.matchAll(SEGMENT)];
  if (segments.map(([segment]) => segment).join("") !== whole) {
    const advice = 'write names joined by dots, and a name with other characters as ["name"]';
    throw new TypeError(`${JSON.stringify(text)} is not a path to a claim; ${advice}`);
  }
  return segments.map(([, plain, inDouble, inSingle]) => plain ?? inDouble ?? inSingle ?? "");
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

import type { Route } from "./routes.ts";

/** A call as HTTP carries it. */
export interface EncodedRequest {
  readonly method: string;
  /** Path and query below the base path. */
  readonly path: string;
  /** JSON, or undefined when no field travels in the body. */
  readonly body: string | undefined;
}

/** Names that cannot be sent: a URL drops such segments, encoded or not (WHATWG URL, "path state"). */
const UNSENDABLE: ReadonlySet<string> = new Set(["", ".", ".."]);

/**
 * Puts the fields of an input where the route expects them: names into the path with `/` as `%2F`, others into query or
 * body. What is left out or `null` does not travel in a query. Nothing is checked: that is the server's.
 *
 * @throws TypeError or URIError for what a URL or JSON cannot carry.
 */
export function encodeHttpRequest(route: Route, input: Readonly<Record<string, unknown>>): EncodedRequest {
  const inPath = new Set<string>();
  const path = route.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    inPath.add(field);
    return segment(field, input[field]);
  });
  const rest = Object.entries(input).filter(([field, value]) => !inPath.has(field) && value !== undefined);
  if (route.method === "GET") return { method: route.method, path: withQuery(path, rest), body: undefined };
  const body = rest.length === 0 ? undefined : JSON.stringify(Object.fromEntries(rest));
  return { method: route.method, path, body };
}

function segment(field: string, value: unknown): string {
  if (typeof value !== "string") throw new TypeError(`${field} must be a string`);
  if (UNSENDABLE.has(value)) throw new TypeError(`${field} must not be ${JSON.stringify(value)}: no URL can carry it`);
  return encodeURIComponent(value);
}

function withQuery(path: string, fields: readonly (readonly [string, unknown])[]): string {
  const given = fields.filter(([, value]) => value !== null);
  const query = given.map(([field, value]) => `${encodeURIComponent(field)}=${encodeURIComponent(String(value))}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/**
 * Checks an address that a user gave under `name`. Credentials in it are refused here, because the message with which
 * `fetch` refuses them would quote them.
 *
 * @throws TypeError that names what was wrong.
 */
export function checkedAddress(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${name} must be an http or https URL`);
  if (url.username !== "" || url.password !== "") throw new TypeError(`${name} must not hold a user and a password`);
  if (url.hash !== "") throw new TypeError(`${name} must not hold a fragment`);
  return url;
}

import { AdminError } from "../core/errors.ts";
import type { Operation } from "../core/operations/operation.ts";
import { type CallName, type CallTables, callRecords } from "../core/operations/table.ts";
import { mostContainers } from "../core/validation/input-size.ts";

export interface Endpoint {
  readonly name: CallName;
  readonly operation: Operation;
  readonly pathFields: ReadonlySet<string>;
  readonly queryFields: ReadonlySet<string>;
  /** Objects and arrays that the largest input has. */
  readonly maxContainers: number;
}

interface PathEndpoints {
  readonly segments: readonly string[];
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Value of the `Allow` header. */
  readonly allow: string;
}

/** A route with the input fields from its path. */
interface RouteMatch {
  readonly route: PathEndpoints;
  readonly pathInput: Readonly<Record<string, string>>;
}

/** Finds the route of a path below the base path, or `undefined`. Throws `BAD_REQUEST` for a malformed escape in a name. */
export type Router = (path: string) => RouteMatch | undefined;

/** Compiles the tables of an API into a router. Paths match exactly, as they are written (decision D-HTTP 3). */
export function compileRoutes(tables: CallTables): Router {
  const routes = [...groupByPath(tables)].map(([path, endpoints]) => route(path, endpoints));
  const fixed = new Map<string, RouteMatch>();
  for (const found of routes) {
    const path = `/${found.segments.join("/")}`;
    if (!path.includes("{")) fixed.set(path, { route: found, pathInput: {} });
  }
  return (path) => fixed.get(path) ?? matchSegments(routes, path.slice(1).split("/"));
}

function groupByPath(tables: CallTables): Map<string, Endpoint[]> {
  const byPath = new Map<string, Endpoint[]>();
  for (const [name, operation] of callRecords(tables)) {
    const pathFields = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? ""));
    const rest = Object.keys(operation.input.shape).filter((field) => !pathFields.has(field));
    const queryFields = new Set(operation.method === "GET" ? rest : []);
    const endpoint = { name, operation, pathFields, queryFields, maxContainers: mostContainers(operation.input) };
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), endpoint]);
  }
  return byPath;
}

function route(path: string, list: readonly Endpoint[]): PathEndpoints {
  const endpoints = new Map<string, Endpoint>(list.map((endpoint) => [endpoint.operation.method, endpoint]));
  const get = endpoints.get("GET");
  if (get) endpoints.set("HEAD", get);
  return {
    segments: path.slice(1).split("/"),
    endpoints,
    allow: [...(get ? ["GET", "HEAD"] : []), ...(endpoints.has("POST") ? ["POST"] : []), "OPTIONS"].join(", "),
  };
}

function matchSegments(routes: readonly PathEndpoints[], segments: readonly string[]): RouteMatch | undefined {
  for (const candidate of routes) {
    const pathInput = matchRoute(candidate.segments, segments);
    if (pathInput) return { route: candidate, pathInput };
  }
  return undefined;
}

function matchRoute(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const names: [field: string, segment: string][] = [];
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (!expected.startsWith("{")) {
      if (segment !== expected) return undefined;
    } else {
      if (segment === "") return undefined;
      names.push([expected.slice(1, -1), segment]);
    }
  }
  // Decoded once, so that a name may contain / as %2F.
  return Object.fromEntries(names.map(([field, segment]) => [field, decodeEscapes(segment, "path")]));
}

/** Percent-decodes UTF-8; throws `BAD_REQUEST`, which quotes malformed text. */
export function decodeEscapes(text: string, where: "path" | "query"): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AdminError("BAD_REQUEST", `The ${where} holds a malformed percent escape: ${JSON.stringify(text)}`);
  }
}

import { METHODS } from "node:http";
import fc from "fast-check";
import { ENDPOINTS, type Endpoint } from "../requirements/support/endpoints.ts";
import { bodies } from "./bodies.ts";
import { callers, contentTypes, extraHeaders, type Header } from "./headers.ts";
import { elsewhere, type PathChange, pathChanges, queries } from "./paths.ts";

/** One request as it goes over the wire, and what it is in our eyes. */
export interface FuzzedRequest {
  readonly method: string;
  /** Whether the path is at or below the base path. */
  readonly below: boolean;
  /** Path and query: relative to the base path, or the whole target of a request for something else. */
  readonly path: string;
  /** Whether the target is a URL. */
  readonly absolute: boolean;
  /** Without those that belong to the connection. */
  readonly headers: readonly Header[];
  readonly body: Buffer | undefined;
  readonly chunked: boolean;
  /** Whether the credentials are right. */
  readonly authenticated: boolean;
}

/** Whether method and path are what `node:http` takes for HTTP: it knows a list of methods, and paths are ASCII. */
export function isHttp({ method, path }: FuzzedRequest): boolean {
  return METHODS.includes(method) && /^[!-~]*$/.test(path);
}

/** Request ids that begin so belong to requests without valid credentials: no engine may ever see one. */
export const ANONYMOUS_ID = "anon-";

const endpoints = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ENDPOINTS) },
  { weight: 1, arbitrary: fc.constantFrom(...ENDPOINTS.filter(({ method }) => method === "POST")) },
);

/** Methods in place of the endpoint's own; undefined leaves that. */
const otherMethods = fc.oneof(
  { weight: 18, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.constantFrom("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE") },
  { weight: 1, arbitrary: fc.constantFrom(...METHODS.filter((method) => method !== "CONNECT")) },
  { weight: 1, arbitrary: fc.constantFrom("FOO", "GETT", "G!T", "X".repeat(300)) },
);

const targets = fc.oneof(
  { weight: 20, arbitrary: fc.record({ change: pathChanges, query: queries }) },
  { weight: 1, arbitrary: elsewhere },
);

type Target = string | { readonly change: PathChange; readonly query: string };

function targetFor(endpoint: Endpoint, target: Target): Pick<FuzzedRequest, "below" | "path"> {
  if (typeof target === "string") return { below: false, path: target };
  const path = target.change(endpoint.path);
  // What does not begin with a slash would name another path than the base path and what is below.
  return { below: true, path: `${path === "" || path.startsWith("/") ? path : `/${path}`}${target.query}` };
}

/** Requests that are HTTP, however strange: those of the 18 endpoints with a fault or two. */
export const requests: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    endpoint: endpoints,
    target: targets,
    otherMethod: otherMethods,
    caller: callers,
    contentType: contentTypes,
    extra: extraHeaders,
    id: fc.nat(),
    otherBody: fc.option(bodies, { nil: undefined }),
    keepBody: fc.nat(4),
    absolute: fc.nat(9),
    chunked: fc.boolean(),
  })
  .map(({ endpoint, target, caller, contentType, extra, id, ...rest }) => {
    const own = endpoint.body && Buffer.from(JSON.stringify(endpoint.body));
    const names: readonly Header[] = caller.authenticated ? [] : [["X-Request-Id", `${ANONYMOUS_ID}${id}`]];
    const { below, path } = targetFor(endpoint, target);
    return {
      method: rest.otherMethod ?? endpoint.method,
      below,
      path,
      absolute: rest.absolute === 0 && path !== "*",
      headers: [...caller.headers, ...names, ...contentType, ...extra],
      body: rest.keepBody < 2 ? own : rest.otherBody,
      chunked: rest.chunked,
      authenticated: caller.authenticated,
    };
  });

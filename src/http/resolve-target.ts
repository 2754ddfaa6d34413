import { NO_SUCH_PATH } from "../core/conventions.ts";
import { AdminError } from "../core/errors.ts";
import type { DocumentTable, ServedDocument } from "./documents.ts";
import type { HttpRequest } from "./message.ts";
import type { InputReader, KnownTarget } from "./request-input.ts";
import type { Router } from "./routes.ts";

/** The target of a request: what its method and path select. */
export type Target =
  | KnownTarget
  /** A path of the API without this method. */
  | { readonly kind: "path"; readonly allow: string }
  | { readonly kind: "document"; readonly document: ServedDocument }
  /** Fault of the path, for authenticated callers only. */
  | { readonly kind: "fault"; readonly fault: unknown };

interface Targets {
  readonly basePath: string;
  readonly router: Router;
  readonly input: InputReader;
  readonly documents: DocumentTable;
}

/** Makes the function that resolves the target of a request; undefined for a path outside the API. */
export function targetResolver(targets: Targets): (request: HttpRequest) => Target | undefined {
  return (request) => {
    const remembered = targets.input.remembered(request);
    if (remembered) return remembered;
    const { target } = request;
    const path = target.startsWith("/") ? target : target.replace(PLAIN_ORIGIN, "");
    const below = pathBelow(targets.basePath, path);
    if (below !== undefined) return endpointAt(targets, request, below);
    const document = targets.documents(path);
    return document && { kind: "document", document };
  };
}

/** Scheme and authority of a whole URL (RFC 9112 section 3.2.2), as far as all servers agree where its path begins (decision D-HTTP 13). */
const PLAIN_ORIGIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f.:]+\])(?::\d*)?/i;

/** Path and query below the base path, or undefined for a path that is not below it. */
function pathBelow(basePath: string, path: string): string | undefined {
  if (!path.startsWith(basePath)) return undefined;
  const rest = path.slice(basePath.length);
  return rest === "" || rest.startsWith("/") || rest.startsWith("?") ? rest : undefined;
}

function endpointAt({ router, input }: Targets, request: HttpRequest, path: string): Target {
  const mark = path.indexOf("?");
  try {
    const match = router(mark < 0 ? path : path.slice(0, mark));
    if (!match) throw new AdminError("UNKNOWN_PATH", NO_SUCH_PATH);
    const endpoint = match.route.endpoints.get(request.method);
    if (!endpoint) return { kind: "path", allow: match.route.allow };
    const query = mark < 0 ? "" : path.slice(mark + 1);
    const source = input.sourceOf({ endpoint, pathInput: match.pathInput, query }, request);
    return { kind: "operation", name: endpoint.name, source };
  } catch (fault) {
    return { kind: "fault", fault };
  }
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeListener } from "../http/node.ts";
import { respondWithText } from "./proxy/messages.ts";

/** What is served under the host name of the pages, and what under all others. */
interface Listeners {
  readonly pages: NodeListener;
  readonly others: NodeListener;
}

/** The host name at which browsers find our pages, apart from those of the monitor (decision D-GATE 21). */
export class PagesHost {
  readonly #name: string;
  readonly #home: string;
  readonly #paths: ReadonlySet<string>;

  /** `paths` are those of the pages and of what they load; `home` is the first page. */
  constructor(name: string, home: string, paths: readonly string[]) {
    this.#name = name.toLowerCase();
    this.#home = home;
    this.#paths = new Set(paths);
  }

  /** Whether a request is for this name, at whatever port. */
  isAsked({ headers: { host = "" } }: IncomingMessage): boolean {
    return host.toLowerCase().replace(/:\d*$/, "") === this.#name;
  }

  /** Under other names, paths of pages lead here: before the browser has asked for a password there. */
  listener({ pages, others }: Listeners): NodeListener {
    return (request, response) => {
      const [path = ""] = (request.url ?? "").split("?", 1);
      if (this.isAsked(request) && path === "/") this.#lead(request, response, this.#home);
      else if (this.isAsked(request)) pages(request, response);
      else if (this.#paths.has(path)) this.#lead(request, response, request.url ?? this.#home);
      else others(request, response);
    };
  }

  #lead(request: IncomingMessage, response: ServerResponse, to: string): void {
    const port = /:\d+$/.exec(request.headers.host ?? "")?.[0] ?? "";
    response.setHeader("Location", `//${this.#name}${port}${to}`);
    respondWithText(response, 302, `This page is at ${this.#name}`);
    request.resume();
  }
}

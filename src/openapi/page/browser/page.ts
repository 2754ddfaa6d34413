import type { PageUser } from "../../../http/documents.ts";
import { ambientClient, forgetPageKey, pageFetch } from "../../../pages/client.ts";
import { byId, setText } from "../../../pages/dom.ts";
import { StatusLine } from "../../../pages/status-line.ts";
import { callCommand, curlCommand, type Security } from "./commands.ts";
import { wrapComponents } from "./component-overrides.ts";
import { askBeforeSending } from "./confirm.ts";
import { effectOf, type PageDocument, type PageRequest, requestedOperation } from "./page-document.ts";
import { sendAndProve } from "./proof.ts";
import { shownDocument } from "./shown-document.ts";
import {
  type ImmutableMap,
  type InterceptedRequest,
  type InterceptedResponse,
  loadedDocument,
  nameElements,
} from "./swagger-ui.ts";

/** Where the server is, if this page has come through another server, as that of `trading-admin docs` does. */
const ORIGIN_HEADER = "x-admin-origin";

class DocsPage {
  readonly #folder: string;
  readonly #status = new StatusLine();
  #user: PageUser | undefined;
  #shown: { readonly document: PageDocument; readonly origin: string } | undefined;

  /** `folder` is where the parts of the page are. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    followColorScheme();
    nameElements(byId("page"));
    byId("log-out").onclick = () => {
      forgetPageKey();
      location.assign(new URL("logged-out", this.#folder));
    };
    this.#user = await userOf(this.#folder);
    setText(byId("user"), this.#user?.name ?? "");
    SwaggerUIBundle({
      url: new URL("../v3/api-docs", this.#folder).href,
      dom_id: "#page",
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      displayOperationId: true,
      // Its colours are those of one scheme.
      syntaxHighlight: { activated: false },
      // The one on the Internet would learn of the document.
      validatorUrl: null,
      // A link must not make the page show another document.
      queryConfigEnabled: false,
      // What was cancelled has no request to show.
      showMutatedRequest: false,
      plugins: [
        () => ({ wrapComponents: wrapComponents(this.#user, (request) => this.#commands(requestOf(request))) }),
      ],
      requestInterceptor: (request) => this.#beforeRequest(request),
      responseInterceptor: (response) => this.#afterResponse(response),
    });
  }

  async #beforeRequest(request: InterceptedRequest): Promise<InterceptedRequest> {
    const { document } = this.#shown ?? {};
    const command = !request.loadSpec && document ? requestedOperation(document, request) : undefined;
    if (!document || !command || command.operation["x-lane"] === "read") return { ...request, userFetch: pageFetch };
    const security = securityOf(document);
    const denied = command.operation.operationId in (this.#user?.denied ?? {});
    const confirmation = {
      command,
      request: this.#atOrigin(request),
      security,
      basePath: basePathOf(document),
      denied,
    };
    const client = ambientClient(new URL("..", this.#folder).href, basePathOf(document));
    if (!(await askBeforeSending(confirmation))) {
      throw Object.assign(new Error("it was cancelled before anything was sent"), { name: "Not sent" });
    }
    const line = this.#status.begin({
      outcome: "pending",
      text: `${effectOf(command)}: sent, waiting for the response.`,
    });
    return { ...request, userFetch: (...call) => sendAndProve(client, command, () => pageFetch(...call), line) };
  }

  #afterResponse(response: InterceptedResponse): InterceptedResponse {
    const document = loadedDocument(response.obj);
    if (document && !this.#shown) {
      this.#shown = { document, origin: response.headers[ORIGIN_HEADER] ?? location.origin };
      return Object.assign(response, { text: JSON.stringify(shownDocument(document)) });
    }
    return response;
  }

  /** What sends a request from a shell. */
  #commands(request: PageRequest): string[] {
    const { document } = this.#shown ?? {};
    const command = document && requestedOperation(document, request);
    if (!command) return [];
    const sent = this.#atOrigin(request);
    return [curlCommand(sent, securityOf(document)), callCommand(command, sent, basePathOf(document))];
  }

  #atOrigin(request: PageRequest): PageRequest {
    const { pathname, search } = new URL(request.url, location.origin);
    return { ...request, url: `${this.#shown?.origin ?? location.origin}${pathname}${search}` };
  }
}

/** The user of the page; undefined when that cannot be found out: then nothing is marked, and the server decides. */
async function userOf(folder: string): Promise<PageUser | undefined> {
  try {
    const response = await pageFetch(new URL("user.json", folder));
    return response.ok ? ((await response.json()) as PageUser) : undefined;
  } catch {
    return undefined;
  }
}

/** Swagger UI has a dark scheme, and a class that switches it on. */
function followColorScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = (): void => {
    document.documentElement.classList.toggle("dark-mode", dark.matches);
  };
  dark.onchange = follow;
  follow();
}

function requestOf(request: ImmutableMap): PageRequest {
  const { url, method, headers = {}, body } = request.toJS() as PageRequest;
  return { url, method, headers, body };
}

function securityOf({ components }: PageDocument): Security {
  return "bearer" in components.securitySchemes ? "bearer" : "basic";
}

function basePathOf({ servers }: PageDocument): string {
  return new URL(servers[0]?.url ?? "/", location.origin).pathname;
}

void new DocsPage((document.currentScript as HTMLScriptElement).src).open();

import { callCommand, curlCommand, type Security } from "./commands.ts";
import { confirmed } from "./confirm.ts";
import { askedOperation, type PageDocument, type PageRequest } from "./described.ts";
import {
  type Component,
  type ImmutableMap,
  type InterceptedRequest,
  type InterceptedResponse,
  loadedDocument,
  type PluginParts,
  type System,
} from "./swagger-ui.ts";

/** Where the server is, if this page has come through somebody else, as that of `trading-admin docs` does. */
const ORIGIN_HEADER = "x-admin-origin";

/** The document that the page shows, and where it is from. */
interface Shown {
  readonly document: PageDocument;
  readonly origin: string;
}

class DocsPage {
  #shown: Shown | undefined;

  open(): void {
    const script = document.currentScript as HTMLScriptElement;
    SwaggerUIBundle({
      url: new URL("../v3/api-docs", script.src).href,
      dom_id: "#page",
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      displayOperationId: true,
      // The one on the Internet would be told of the document.
      validatorUrl: null,
      // A link must not make the page show another document.
      queryConfigEnabled: false,
      // What was cancelled has no request to show.
      showMutatedRequest: false,
      requestSnippetsEnabled: true,
      requestSnippets: {
        generators: {
          curl: { title: "curl", syntax: "bash" },
          call: { title: "trading-admin", syntax: "bash" },
        },
        languages: ["curl", "call"],
        defaultExpanded: true,
      },
      plugins: [() => this.#plugin()],
      requestInterceptor: (request) => this.#beforeRequest(request),
      responseInterceptor: (response) => this.#afterResponse(response),
    });
  }

  #plugin(): PluginParts {
    return {
      wrapComponents: {
        OperationSummaryPath: withBadges,
        // The browser, or `trading-admin docs`, adds the credentials; the page never has them.
        authorizeBtn: () => nothing,
        authorizeOperationBtn: () => nothing,
      },
      fn: {
        requestSnippetGenerator_curl: (request) => this.#curl(requestOf(request)),
        requestSnippetGenerator_call: (request) => this.#call(requestOf(request)),
      },
    };
  }

  async #beforeRequest(request: InterceptedRequest): Promise<InterceptedRequest> {
    const { document } = this.#shown ?? {};
    const asked = !request.loadSpec && document ? askedOperation(document, request) : undefined;
    if (!document || !asked || asked.operation["x-lane"] === "read") return request;
    const security = securityOf(document);
    const confirmation = { asked, request: this.#atOrigin(request), security, basePath: basePathOf(document) };
    if (await confirmed(confirmation)) return request;
    throw Object.assign(new Error("it was cancelled before anything was sent"), { name: "Not sent" });
  }

  #afterResponse(response: InterceptedResponse): InterceptedResponse {
    const document = loadedDocument(response.obj);
    if (document && !this.#shown) {
      this.#shown = { document, origin: response.headers[ORIGIN_HEADER] ?? location.origin };
    }
    return response;
  }

  #curl(request: PageRequest): string {
    return this.#shown ? curlCommand(this.#atOrigin(request), securityOf(this.#shown.document)) : "";
  }

  #call(request: PageRequest): string {
    const { document } = this.#shown ?? {};
    const asked = document && askedOperation(document, request);
    return asked ? callCommand(asked, this.#atOrigin(request), basePathOf(document)) : "";
  }

  #atOrigin(request: PageRequest): PageRequest {
    const { pathname, search } = new URL(request.url, location.origin);
    return { ...request, url: `${this.#shown?.origin ?? location.origin}${pathname}${search}` };
  }
}

const nothing: Component = () => null;

/** Shows permission and lane of an operation behind its path. */
function withBadges(original: Component, { React, specSelectors }: System): Component {
  return (properties) => {
    const { path, method } = (properties.operationProps as ImmutableMap).toJS() as Record<"path" | "method", string>;
    const operation = specSelectors.specJson().getIn(["paths", path, method]) as ImmutableMap;
    const lane = operation.get("x-lane");
    const permission = operation.get("x-permission") ?? "any user";
    const badge = (kind: string, text: unknown): unknown =>
      React.createElement("span", { className: `badge ${kind}`, key: kind }, text);
    return React.createElement(
      "span",
      { className: "path-and-badges" },
      React.createElement(original, properties),
      badge(`lane ${lane}`, lane),
      badge("permission", permission),
    );
  };
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

new DocsPage().open();

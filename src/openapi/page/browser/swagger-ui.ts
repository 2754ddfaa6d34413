import type { PageDocument, PageRequest } from "./page-document.ts";

/** The parts of Swagger UI that the page uses (swagger.io, "Plug-in API" and "Configuration"). */

/** An immutable map of Swagger UI. */
export interface ImmutableMap {
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
  toJS(): unknown;
}

/** A component of React; the page only passes its properties on. */
export type Component = (properties: Readonly<Record<string, unknown>>) => unknown;

/** What plug-ins are given. */
export interface System {
  readonly React: { createElement(type: unknown, properties: unknown, ...children: unknown[]): unknown };
  readonly specSelectors: { specJson(): ImmutableMap };
}

export interface PluginParts {
  readonly wrapComponents?: Readonly<Record<string, (original: Component, system: System) => Component>>;
  readonly fn?: Readonly<Record<string, (request: ImmutableMap) => string>>;
}

/** A request for the document, or one that is tried out. */
export interface InterceptedRequest extends PageRequest {
  readonly loadSpec?: boolean;
  /** What sends it, in place of `fetch`. */
  readonly userFetch?: typeof fetch;
}

/** A response to such a request. */
export interface InterceptedResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What Swagger UI makes the document of. */
  readonly text?: string;
  /** The document, parsed, or a text. */
  readonly obj?: unknown;
}

interface SwaggerUiOptions {
  readonly url: string;
  readonly dom_id: string;
  readonly deepLinking: boolean;
  readonly docExpansion: "list";
  readonly defaultModelsExpandDepth: number;
  readonly displayOperationId: boolean;
  readonly validatorUrl: null;
  readonly queryConfigEnabled: boolean;
  readonly showMutatedRequest: boolean;
  readonly requestSnippetsEnabled: boolean;
  readonly requestSnippets: {
    readonly generators: Readonly<Record<string, { readonly title: string; readonly syntax: "bash" }>>;
    readonly languages: readonly string[];
    readonly defaultExpanded: boolean;
  };
  readonly plugins: readonly ((system: System) => PluginParts)[];
  readonly requestInterceptor: (request: InterceptedRequest) => Promise<InterceptedRequest>;
  readonly responseInterceptor: (response: InterceptedResponse) => InterceptedResponse;
}

declare global {
  /** Defined by swagger-ui-bundle.js. */
  var SwaggerUIBundle: (options: SwaggerUiOptions) => unknown;
}

/** The document as it was loaded; undefined until then. */
export function loadedDocument(obj: unknown): PageDocument | undefined {
  return typeof obj === "object" && obj !== null && "paths" in obj ? (obj as PageDocument) : undefined;
}

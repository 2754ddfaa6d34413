import type { PageDocument, PageRequest } from "./page-document.ts";

/** The parts of Swagger UI that the page uses (swagger.io, "Plug-in API" and "Configuration"). */

export interface ImmutableMap {
  readonly size: number;
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
  filter(isKept: (value: unknown, key: string) => boolean): ImmutableMap;
  toJS(): unknown;
}

/** A component of React; the page only passes its properties on. */
export type Component = (properties: Readonly<Record<string, unknown>>) => unknown;

/** Argument of plug-ins. */
export interface System {
  readonly React: { createElement(type: unknown, properties: unknown, ...children: unknown[]): unknown };
  readonly specSelectors: { specJson(): ImmutableMap };
  getComponent(name: string, isContainer: boolean): Component;
}

/** Replaces or extends a component. */
export type Wrap = (original: Component, system: System) => Component;

interface PluginParts {
  readonly wrapComponents: Readonly<Record<string, Wrap>>;
}

/** A request for the document, or one that is tried out. */
export interface InterceptedRequest extends PageRequest {
  readonly loadSpec?: boolean;
  /** Replacement for `fetch`. */
  readonly userFetch?: typeof fetch;
}

export interface InterceptedResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Source of the document for Swagger UI. */
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
  readonly syntaxHighlight: { readonly activated: boolean };
  readonly validatorUrl: null;
  readonly queryConfigEnabled: boolean;
  readonly showMutatedRequest: boolean;
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

/** Elements of Swagger UI that have no name for screen readers, and the name that each gets. */
const NAMES: Readonly<Record<string, (element: HTMLElement) => string>> = {
  "select.examples-select-element": () => "Example",
  "textarea.body-param__text": () => "Request body",
  "table.responses-table[role=region]": ({ id }) => `Responses, ${id.replace(/_responses$/, "")}`,
};

/** Boxes of Swagger UI that scroll; a keyboard has to reach them. */
const SCROLLED = "pre.microlight";

/** Gives names and keyboard access to what Swagger UI renders below `root`, now and later. */
export function nameElements(root: HTMLElement): void {
  const update = (): void => {
    for (const [selector, nameOf] of Object.entries(NAMES)) {
      for (const element of root.querySelectorAll<HTMLElement>(`${selector}:not([aria-label])`)) {
        element.setAttribute("aria-label", nameOf(element));
      }
    }
    for (const box of root.querySelectorAll<HTMLElement>(`${SCROLLED}:not([tabindex])`)) box.tabIndex = 0;
  };
  new MutationObserver(update).observe(root, { childList: true, subtree: true });
}

import { commandWords } from "../../../core/operations/command-words.ts";
import { jsonIn } from "../../../core/values/basics.ts";

export interface PageDocument {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PageOperation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, unknown>> };
}

/** An operation of the document, with the extensions of ours. */
export interface PageOperation {
  readonly operationId: string;
  readonly parameters?: readonly PageParameter[];
  readonly summary: string;
  readonly "x-permission": string | null;
  readonly "x-lane": "stop" | "change" | "read";
}

/** A parameter, or the reference to one. */
export interface PageParameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly example?: unknown;
  readonly schema?: { readonly default?: unknown };
}

export interface PageRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, as it was typed. */
  readonly body?: string | undefined;
}

/** An operation, and the flat input with which a request asks for it. */
export interface RequestedOperation {
  readonly operation: PageOperation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Finds the operation that a request asks for; undefined for a request for something else. */
export function requestedOperation(document: PageDocument, request: PageRequest): RequestedOperation | undefined {
  const { pathname, searchParams } = new URL(request.url);
  for (const [template, methods] of Object.entries(document.paths)) {
    const operation = methods[request.method.toLowerCase()];
    const path = operation && pathInput(template, pathname);
    if (path) return { operation, input: { ...Object.fromEntries(searchParams), ...bodyInput(request), ...path } };
  }
  return undefined;
}

/** Describes the effect of a request; what stops or starts everything is in capitals. */
export function effectOf({ operation, input }: RequestedOperation): string {
  const words = commandWords(operation.operationId)?.heading(input) ?? operation.summary;
  return words.replace(/^(?:Halt|Resume) all trading/, (everything) => everything.toUpperCase());
}

/** The fields in a path that ends as a template says. */
function pathInput(template: string, pathname: string): Record<string, string> | undefined {
  const names = template.split("/").slice(1);
  const segments = pathname.split("/").slice(-names.length);
  const input: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? "";
    if (name.startsWith("{")) input[name.slice(1, -1)] = decodeURIComponent(segment);
    else if (name !== segment) return undefined;
  }
  return input;
}

/** Invalid JSON counts as no input; the server reports it. */
function bodyInput({ body = "" }: PageRequest): Readonly<Record<string, unknown>> {
  return (jsonIn(body) ?? {}) as Record<string, unknown>;
}

import type {
  Content,
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from "../../src/openapi/open-api.ts";
import { operationsOf } from "./committed.ts";
import { type Documents, SchemaComparison } from "./schema-compatibility.ts";

/**
 * What is broken for the clients of a document, and for those who generate clients from it, when it becomes another: one
 * sentence each. Nothing for a change that they need not notice.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  return new DocumentComparison({ before, after }).breaks();
}

class DocumentComparison {
  readonly #documents: Documents;
  readonly #input: SchemaComparison;
  readonly #output: SchemaComparison;

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#input = new SchemaComparison(documents, "input");
    this.#output = new SchemaComparison(documents, "output");
  }

  breaks(): string[] {
    const { before, after } = this.#documents;
    const names = Object.keys(before.components.schemas);
    return [
      ...changed("the server", before.servers[0]?.url, after.servers[0]?.url),
      ...changed("the security scheme", before.components.securitySchemes, after.components.securitySchemes),
      ...names
        .filter((name) => !Object.hasOwn(after.components.schemas, name))
        .map((name) => `the schema ${name} is gone`),
      ...operationsOf(before).flatMap(({ path, method, operation }) => {
        const where = `${method.toUpperCase()} ${path}`;
        const now = after.paths[path]?.[method as "get" | "post"];
        return now ? this.#operation(operation, now).map((fault) => `${where}: ${fault}`) : [`${where} is gone`];
      }),
    ];
  }

  #operation(before: OperationObject, after: OperationObject): string[] {
    const permission = after["x-permission"];
    return [
      ...changed("the name", before.operationId, after.operationId),
      ...(permission === null ? [] : changed("the permission", before["x-permission"], permission)),
      ...(before["x-retry"] === "safe" ? changed("the retry class", "safe", after["x-retry"]) : []),
      ...this.#parameters(before, after),
      ...this.#requestBody(before, after),
      ...Object.keys(before.responses).flatMap((status) => this.#response(status, before, after)),
    ];
  }

  #parameters(before: OperationObject, after: OperationObject): string[] {
    const old = parametersOf(before, this.#documents.before);
    const now = parametersOf(after, this.#documents.after);
    const added = [...now.values()].filter(({ name, required }) => required && !old.has(name));
    const kept = [...old.values()].flatMap((parameter) => {
      const { name, required, schema, in: place } = parameter;
      const found = now.get(name);
      if (!found) return [`the parameter ${name} is gone`];
      return [
        ...changed(`the place of the parameter ${name}`, place, found.in),
        ...(found.required && !required ? [`the parameter ${name} is required now`] : []),
        ...this.#input.breaks(`parameter ${name}`, schema, found.schema),
      ];
    });
    return [...added.map(({ name }) => `the parameter ${name} is new and required`), ...kept];
  }

  #requestBody(before: OperationObject, after: OperationObject): string[] {
    const [old, now] = [before.requestBody, after.requestBody];
    if (!old) return now?.required ? ["a body is required now"] : [];
    if (!now) return ["a body is no longer taken"];
    return [
      ...(now.required && !old.required ? ["a body is required now"] : []),
      ...this.#content("request", old.content, now.content, this.#input),
    ];
  }

  #response(status: string, before: OperationObject, after: OperationObject): string[] {
    const [old, now] = [before.responses[status], after.responses[status]];
    if (!old) return [];
    if (!now) return [`the status ${status} is gone`];
    const [was, is] = [responseOf(old, this.#documents.before), responseOf(now, this.#documents.after)];
    const headers = Object.entries(was.headers).flatMap(([name, header]) => {
      const found = is.headers[name];
      return found
        ? this.#header(`${status} header ${name}`, header, found)
        : [`${status}: the header ${name} is gone`];
    });
    return [...headers, ...this.#content(status, was.content, is.content, this.#output)];
  }

  #header(where: string, before: Reference, after: Reference): string[] {
    const [old, now] = [headerOf(before, this.#documents.before), headerOf(after, this.#documents.after)];
    if (!old || !now) return [`${where}: the reference leads nowhere`];
    const optional = old.required && !now.required ? [`${where}: may be absent now`] : [];
    return [...optional, ...this.#output.breaks(where, old.schema, now.schema)];
  }

  #content(
    where: string,
    before: Content | undefined,
    after: Content | undefined,
    schemas: SchemaComparison,
  ): string[] {
    if (!before) return after ? [`${where}: there is a body now`] : [];
    const [old, now] = [before["application/json"], after?.["application/json"]];
    return now ? schemas.breaks(where, old.schema, now.schema) : [`${where}: the content application/json is gone`];
  }
}

function changed(what: string, before: unknown, after: unknown): string[] {
  const [old, now] = [before, after].map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return old === now ? [] : [`${what} was ${old} and is ${now}`];
}

function parametersOf({ parameters }: OperationObject, document: OpenApiDocument): Map<string, ParameterObject> {
  const found = parameters.map((parameter) => {
    if (!("$ref" in parameter)) return parameter;
    return document.components.parameters[nameOf(parameter)];
  });
  return new Map(found.flatMap((parameter) => (parameter ? [[parameter.name, parameter]] : [])));
}

function responseOf(response: ResponseObject | Reference, document: OpenApiDocument): ResponseObject {
  if (!("$ref" in response)) return response;
  return document.components.responses[nameOf(response)] ?? { description: "", headers: {} };
}

function headerOf(header: Reference, document: OpenApiDocument): HeaderObject | undefined {
  return document.components.headers[nameOf(header)];
}

function nameOf({ $ref }: Reference): string {
  return $ref.split("/").at(-1) ?? "";
}

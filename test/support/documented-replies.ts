import { readFileSync } from "node:fs";
import { validate } from "@hyperjump/json-schema/openapi-3-1";
import { BASE_PATH } from "../../src/core/conventions.ts";
import type { HeaderObject, OpenApiDocument, Reference, ResponseObject } from "../../src/openapi/open-api.ts";

/** A reply as it came, and what it answers. */
export interface Exchange {
  readonly method: string;
  /** Path and query as they were sent, the base path somewhere in it. */
  readonly path: string;
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Answers what is wrong with a value; nothing for a valid one. */
type Check = (value: unknown) => string[];

/** One answer of the document. */
interface Documented {
  readonly response: ResponseObject;
  /** JSON pointer of the response in the document. */
  readonly pointer: string;
}

/** Statuses of a request for no operation: refusals, and what the path allows. */
const WITHOUT_OPERATION: ReadonlySet<number> = new Set([204, 400, 401, 403, 404, 405, 408, 414, 429, 431, 500]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 401]);

/** Headers that say something about the API: such a header is documented, or it must not be there. */
const TELLING = /^(x-.*|retry-after|www-authenticate|allow|etag|set-cookie|location)$/;
/** Express adds this to every response of an application, whoever gave it. */
const OF_THE_HOST: ReadonlySet<string> = new Set(["x-powered-by"]);

/**
 * Compares replies with an OpenAPI document, as a third party reads it: the file, and a validator of OpenAPI 3.1 that
 * shares no code with what made the document or what checks answers in the server.
 */
class DocumentedReplies {
  readonly #url: URL;
  readonly #document: OpenApiDocument;
  readonly #checks = new Map<string, Promise<Check>>();

  /** The name of the file has to end in `openapi.json`. */
  constructor(url: URL) {
    this.#url = url;
    this.#document = JSON.parse(readFileSync(url, "utf8")) as OpenApiDocument;
  }

  /** What the document does not say of a reply; nothing for a reply that is not below the base path. */
  async faults(exchange: Exchange): Promise<string[]> {
    const path = pathBelow(exchange.path);
    if (path === undefined) return [];
    const operation = this.#operation(exchange.method, path);
    if (!operation) return this.#faultsWithoutOperation(exchange);
    const documented = this.#documented(`${operation}/responses/${exchange.status}`);
    if (!documented) return [`${operation}: the status ${exchange.status} is not documented`];
    const found = [
      ...(await this.#headerFaults(documented, exchange)),
      ...(await this.#bodyFaults(documented, exchange)),
    ];
    return found.map((fault) => `${operation} ${exchange.status}: ${fault}`);
  }

  /** Pointer of the operation that a request asks for. */
  #operation(method: string, path: string): string | undefined {
    // A path with a malformed escape is not an operation's: the server refuses it with 400.
    if (isMalformed(path)) return undefined;
    const segments = path.split("/");
    const member = method === "HEAD" ? "get" : method.toLowerCase();
    const template = Object.keys(this.#document.paths).find((candidate) => matches(candidate.split("/"), segments));
    const pointer = `/paths/${escaped(template ?? "")}/${member}`;
    return template !== undefined && this.#at(pointer) ? pointer : undefined;
  }

  #documented(pointer: string): Documented | undefined {
    const found = this.#at(pointer) as ResponseObject | Reference | undefined;
    if (found === undefined || !("$ref" in found)) return found && { response: found, pointer };
    return this.#documented(found.$ref.slice(1));
  }

  #at(pointer: string): unknown {
    const steps = pointer
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    return steps.reduce<unknown>(
      (value, step) => (value as Record<string, unknown> | undefined)?.[step],
      this.#document,
    );
  }

  async #headerFaults({ response }: Documented, { headers }: Exchange): Promise<string[]> {
    const documented = Object.entries(response.headers).map(([name, { $ref }]) => ({ name: name.toLowerCase(), $ref }));
    const names = new Set(documented.map(({ name }) => name));
    const unknown = Object.keys(headers).filter(
      (name) => TELLING.test(name) && !OF_THE_HOST.has(name) && !names.has(name),
    );
    const faults = unknown.map((name) => `the header ${name} is not documented`);
    for (const { name, $ref } of documented) {
      const { required, schema } = this.#at($ref.slice(1)) as HeaderObject;
      const value = headers[name];
      if (value === undefined) {
        if (required) faults.push(`the header ${name} is missing`);
        continue;
      }
      const typed = schema.type === "integer" ? Number(value) : value;
      faults.push(...(await this.#check(`${$ref.slice(1)}/schema`))(typed).map((fault) => `header ${name}: ${fault}`));
    }
    return faults;
  }

  async #bodyFaults({ response, pointer }: Documented, { method, headers, body }: Exchange): Promise<string[]> {
    if (method === "HEAD" || response.content === undefined) return body === "" ? [] : ["there is a body"];
    const type = String(headers["content-type"]).split(";")[0];
    if (type !== "application/json") return [`the content is ${type}`];
    return this.#jsonFaults(`${pointer}/content/application~1json/schema`, body);
  }

  async #faultsWithoutOperation({ method, status, body }: Exchange): Promise<string[]> {
    if (!WITHOUT_OPERATION.has(status)) return [`${status} answers a request for no operation`];
    if (method === "HEAD" || WITHOUT_BODY.has(status)) return body === "" ? [] : [`${status} has a body`];
    return this.#jsonFaults("/components/schemas/ErrorBody", body);
  }

  async #jsonFaults(pointer: string, body: string): Promise<string[]> {
    try {
      return (await this.#check(pointer))(JSON.parse(body));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [`the body is not JSON: ${error.message}`];
    }
  }

  #check(pointer: string): Promise<Check> {
    const known = this.#checks.get(pointer);
    if (known) return known;
    const check = compile(`${this.#url}#${encodeURI(pointer)}`);
    this.#checks.set(pointer, check);
    return check;
  }
}

/** The document as it is committed. */
export const committedReplies = new DocumentedReplies(new URL("../../docs/openapi.json", import.meta.url));

async function compile(schema: string): Promise<Check> {
  const check = await validate(schema);
  return (value) => {
    const output = check(value as never, "BASIC");
    if (output.valid) return [];
    return (output.errors ?? []).map(
      ({ instanceLocation, keyword }) => `${instanceLocation}: ${keyword.split("/").at(-1)}`,
    );
  };
}

/** What may stand before the base path: a whole URL, the path that a host mounts the API at. */
const BEFORE = /^(https?:\/\/[^/]+)?(\/[\w-]+)*$/;

/** Path below the base path without the query, or undefined. */
function pathBelow(path: string): string | undefined {
  const start = path.indexOf(BASE_PATH);
  if (start < 0 || !BEFORE.test(path.slice(0, start))) return undefined;
  const rest = path.slice(start + BASE_PATH.length).split("?")[0] ?? "";
  return rest === "" || rest.startsWith("/") ? rest : undefined;
}

function isMalformed(path: string): boolean {
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((step, index) => (step.startsWith("{") ? segments[index] !== "" : step === segments[index]));
}

function escaped(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

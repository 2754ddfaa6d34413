import { COMMANDS } from "../../src/cli/commands/table.ts";
import { typedLine } from "../../src/cli/operations/input.ts";
import type { CallName } from "../../src/core/operations/table.ts";
import { placedCommands } from "../cli/reference/tree.ts";
import type { operationsOf } from "../openapi/committed.ts";

type Found = ReturnType<typeof operationsOf>[number];
const PLACED = placedCommands(COMMANDS);

type Values = Readonly<Record<string, unknown>>;

/** One request, in the three ways in which a reader may send it. */
export interface RequestExample {
  readonly summary: string;
  readonly curl: string;
  readonly cli: string;
  readonly typescript: string;
  /** What comes back; undefined for a 200 without content. */
  readonly response: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>;
}

interface Example {
  readonly summary: string;
  readonly value: Values;
}

/** The examples of an operation, as the OpenAPI document has them. */
export function requestExamples(found: Found): RequestExample[] {
  const { operation } = found;
  const parameters = (operation.parameters ?? []).filter((parameter) => "name" in parameter) as unknown as Parameter[];
  const given = Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
  const bodies = examplesOf((operation as { requestBody?: Content }).requestBody);
  const results = examplesOf((operation.responses as unknown as Record<string, Content>)["200"]);
  const count = Math.max(bodies.length, 1);
  return Array.from({ length: count }, (_, index) => {
    const body = bodies[index];
    const result = results[Math.min(index, results.length - 1)];
    const input = { ...given, ...body?.value };
    return {
      summary: body?.summary ?? result?.summary ?? operation.summary ?? "",
      curl: curlOf(found, parameters, body?.value),
      cli: commandLine(operation.operationId, input),
      typescript: `await client.${operation.operationId}(${literalOf(input)});`,
      response: result?.value,
    };
  });
}

function examplesOf(content: Content | undefined): readonly Example[] {
  return Object.values(content?.content?.["application/json"]?.examples ?? {});
}

function curlOf({ path, method }: Found, parameters: readonly Parameter[], body: Values | undefined): string {
  const filled = parameters
    .filter(({ in: place }) => place === "path")
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = parameters.filter(({ in: place }) => place === "query");
  const fields = query.map(({ name, example }) => ` --data-urlencode '${name}=${example}'`).join("");
  const get = query.length > 0 ? " -G" : "";
  const post = method === "post" ? " -X POST" : "";
  const json = body ? ` -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'` : "";
  return `curl -u "$auth"${get}${post} "$api${filled}"${fields}${json}`;
}

/** The noun and verb of an operation: its target as arguments, the other fields as options. */
function commandLine(name: CallName, input: Values): string {
  const line = PLACED.find(({ command }) => command.operation === name)?.line ?? `trading-admin call ${name}`;
  return typedLine(line, name, input);
}

/** The input as a TypeScript literal; nothing where there is none. */
function literalOf(input: Values): string {
  if (Object.keys(input).length === 0) return "";
  return JSON.stringify(input)
    .replace(/"(\w+)":/g, "$1: ")
    .replaceAll(",", ", ")
    .replace(/^\{(.*)\}$/s, "{ $1 }");
}

import { type Operation, retryClass } from "../core/operations/operation.ts";
import { type CallName, isExtension } from "../core/operations/table.ts";
import type { ComponentSchemas } from "./component-schemas.ts";
import { errorResponsesOf } from "./error-responses.ts";
import { HEADER_PARAMETERS, headersOf } from "./headers.ts";
import { LANE_NOTES } from "./notes.ts";
import type {
  Content,
  ExampleObject,
  JsonSchema,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  ResponseObject,
} from "./open-api.ts";

interface Described {
  readonly name: CallName;
  readonly operation: Operation;
  readonly fields: Readonly<Record<string, JsonSchema>>;
  readonly required: ReadonlySet<string>;
  readonly input: JsonSchema;
  readonly schemas: ComponentSchemas;
}

/** The response to a GET with `If-None-Match` whose caller has the content. */
export const NOT_MODIFIED: ResponseObject = {
  description: "Not Modified. The state shows what the caller has; the response has no content.",
  headers: headersOf(304),
};

/** Describes one operation of the table; the schemas it needs are added to `schemas`. */
export function operationObject(name: CallName, operation: Operation, schemas: ComponentSchemas): OperationObject {
  const input = schemas.of(operation.input);
  const fields = (input.properties ?? {}) as Described["fields"];
  const described = { name, operation, fields, required: new Set(input.required), input, schemas };
  const requestBody = requestBodyOf(described);
  const { permission, lane, tag, summary, description } = operation;
  const notes = [description, permission && `Needs the permission \`${permission}\`.`, LANE_NOTES[lane]];
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: notes.filter(Boolean).join(" "),
    "x-permission": permission,
    "x-lane": lane,
    "x-retry": retryClass(operation),
    ...(isExtension(name) && { "x-extension": true }),
    parameters: parametersOf(described),
    ...(requestBody && { requestBody }),
    responses: responsesOf(described),
  };
}

function isInPath({ operation }: Described, field: string): boolean {
  return operation.path.includes(`{${field}}`);
}

function parametersOf(described: Described): (ParameterObject | Reference)[] {
  const own = Object.keys(described.fields)
    .filter((field) => isInPath(described, field) || described.operation.method === "GET")
    .map((field) => parameter(described, field));
  const shared = Object.keys(HEADER_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [...own, ...conditionsOf(described.operation), ...shared];
}

function conditionsOf({ method, ifMatch }: Operation): Reference[] {
  const names = [...(method === "GET" ? ["IfNoneMatch"] : []), ...(ifMatch === undefined ? [] : ["IfMatch"])];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function parameter(described: Described, field: string): ParameterObject {
  const { description = "", ...schema } = described.fields[field] ?? {};
  const inPath = isInPath(described, field);
  const values = described.operation.examples.map(({ input }) => Reflect.get(input, field));
  const example: unknown = values.find((value) => value !== undefined);
  return {
    name: field,
    in: inPath ? "path" : "query",
    required: described.required.has(field),
    description: inPath ? `${description} A \`/\` in it is sent as \`%2F\`.` : description,
    schema,
    ...(example !== undefined && { example }),
  };
}

function requestBodyOf(described: Described): RequestBodyObject | undefined {
  const { operation, name, fields, input, schemas, required } = described;
  const bodyFields = Object.keys(fields).filter((field) => !isInPath(described, field));
  if (operation.method === "GET" || bodyFields.length === 0) return undefined;
  const needed = bodyFields.filter((field) => required.has(field));
  const { properties: _fields, required: _required, ...rest } = input;
  const properties = Object.fromEntries(bodyFields.map((field) => [field, fields[field] ?? {}]));
  const schema = schemas.add(`${name.charAt(0).toUpperCase() + name.slice(1)}Request`, {
    ...rest,
    properties,
    ...(needed.length > 0 && { required: needed }),
  });
  const content = json(schema, operation, ({ input: values }) => {
    const given = bodyFields.map((field) => [field, Reflect.get(values, field)]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  });
  return { required: needed.length > 0, content };
}

function responsesOf(described: Described): Record<string, ResponseObject | Reference> {
  const errors = errorResponsesOf(described.operation);
  const references = errors.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]);
  const unchanged = described.operation.method === "GET" && { 304: { $ref: "#/components/responses/NotModified" } };
  return { 200: success(described), ...unchanged, ...Object.fromEntries(references) };
}

/** Headers of a success by lane: only changes may need a second person. */
const OF_LANE = { read: ["EntityTag"], stop: ["Outcome"], change: ["Outcome", "Approves"] } as const;

function success({ operation, schemas }: Described): ResponseObject {
  const schema = schemas.of(operation.output);
  const mayWarn = operation.warning !== undefined || schema.type !== "null";
  const warning = mayWarn ? (["Warning"] as const) : [];
  const headers = headersOf(200, [...warning, ...OF_LANE[operation.lane]]);
  if (schema.type === "null") return { description: "Accepted; the response has no content.", headers };
  const content = json(schema, operation, ({ output }) => output);
  return { description: `${operation.summary}.`, headers, content };
}

/** JSON of a schema; `partOf` takes its part of each example of the operation. */
function json(
  schema: JsonSchema,
  { examples }: Operation,
  partOf: (example: Operation["examples"][0]) => unknown,
): Content {
  const named = examples.map((example, index): [string, ExampleObject] => [
    `example${index + 1}`,
    { summary: example.summary, value: partOf(example) },
  ]);
  return { "application/json": { schema, examples: Object.fromEntries(named) } };
}

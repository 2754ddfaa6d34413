import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonSchema, OperationObject, ParameterObject, Reference } from "../../src/openapi/open-api.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { type RawRequest, sendRaw } from "../support/raw-http.ts";
import { committedDocument, operationsOf } from "./committed.ts";

const document = committedDocument();

function resolved<T extends object>(part: T | Reference): T {
  if (!("$ref" in part)) return part;
  const steps = part.$ref.slice(2).split("/");
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}

/** Values by the names of parameters and, for `body`, the body. */
type Values = Readonly<Record<string, unknown>>;

const parametersOf = ({ parameters }: OperationObject): ParameterObject[] => parameters.map(resolved<ParameterObject>);

function contentOf({
  requestBody,
}: OperationObject): { schema: JsonSchema; bodies: Record<string, unknown>[] } | undefined {
  const content = requestBody?.content["application/json"];
  if (!content) return undefined;
  const bodies = Object.values(content.examples).map(({ value }) => value as Record<string, unknown>);
  return { schema: resolved(content.schema), bodies };
}

/** Every example of an operation: of a parameter or a field of the body with the first examples of all others, and whole bodies. */
function* examplesOf(operation: OperationObject): Generator<Values> {
  const parameters = parametersOf(operation);
  const content = contentOf(operation);
  const needed = parameters.filter(({ required }) => required).map(({ name, example }) => [name, example]);
  const first: Values = { ...Object.fromEntries(needed), ...(content && { body: content.bodies[0] }) };
  yield first;
  for (const { name, example, schema } of parameters) {
    for (const value of [example, ...(schema.examples ?? [])])
      if (value !== undefined) yield { ...first, [name]: value };
  }
  for (const [field, schema] of Object.entries(content?.schema.properties ?? {})) {
    const values = resolved(schema as JsonSchema).examples ?? [];
    for (const value of values) yield { ...first, body: { ...content?.bodies[0], [field]: value } };
  }
  for (const body of content?.bodies ?? []) yield { ...first, body };
}

function requestOf(path: string, method: string, operation: OperationObject, { body, ...values }: Values): RawRequest {
  const of = (place: ParameterObject["in"]): [string, string][] =>
    parametersOf(operation)
      .filter((parameter) => parameter.in === place && values[parameter.name] !== undefined)
      .map(({ name }) => [name, `${values[name]}`]);
  const filled = of("path").reduce((at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(of("query"));
  return {
    method: method.toUpperCase(),
    path: query.size === 0 ? filled : `${filled}?${query}`,
    authorization: CHIEF,
    headers: { ...Object.fromEntries(of("header")), ...(body !== undefined && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

describe("the demo installation accepts every example of the document (specification, Machine-readable description)", () => {
  let folder: InstallationFolder;
  let url: string;
  beforeAll(async () => {
    folder = new InstallationFolder();
    ({ url } = await folder.start("server.shutdown.drain-time: 0\n"));
  });
  afterAll(() => folder.close());

  it.each(
    operationsOf(document).map(({ operation, ...place }) => ({ ...place, name: operation.operationId, operation })),
  )("$name", async ({ path, method, operation }) => {
    for (const values of examplesOf(operation)) {
      const { status, body } = await sendRaw(`${url}/api/admin/v1`, requestOf(path, method, operation, values));
      expect({ values, status, refusal: status === 200 ? "" : body }).toEqual({ values, status: 200, refusal: "" });
    }
  });

  it("among them paths, projections and decimals", () => {
    const all = operationsOf(document).flatMap(({ operation }) => [...examplesOf(operation)]);
    const text = JSON.stringify(all);
    for (const part of ["Source[FIXCLIENT1]/Account[GOLD]", "Source/Account/Symbol", "NaN"])
      expect(text).toContain(part);
    expect(all.length).toBeGreaterThan(40);
  });
});

import { join } from "node:path";
import { z } from "zod";
import type { InputField, OperationFacts } from "../../src/cli/operations/operation-facts.ts";
import type { FieldKind } from "../../src/client/output-kinds.ts";
import type { Operation } from "../../src/core/operations/operation.ts";
import { type OperationName, operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { ROOT } from "../package/build.ts";
import { outputOf } from "../support/output-of.ts";
import { declarations, type Shared, shared, upperCase, withNames } from "../support/shared-values.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Generated from the operation table: what the command line has to know of an operation and of its input. */
export const GENERATED = {
  "facts.ts": () => `import type { OperationName } from "../../core/operations/table.ts";
import type { InputField, OperationFacts } from "./operation-facts.ts";

${declarations("InputField", fieldsOfSeveral())}
/** What the command line knows of each operation. */
export const OPERATION_FACTS: Readonly<Record<OperationName, OperationFacts>> = ${withNames(operationFacts(), fieldsOfSeveral())};
`,
} as const;

/** What the command line has to know of each operation, from the operation table. */
export function operationFacts(): Record<OperationName, OperationFacts> {
  const found = operationNames.map((name) => [name, factsOf(operationRecord(operations, name))]);
  return Object.fromEntries(found) as Record<OperationName, OperationFacts>;
}

function factsOf(operation: Operation): OperationFacts {
  const { summary, lane, permission, target, input } = operation;
  const needs = permission === null ? {} : { permission };
  return { summary, lane, ...needs, target, input: inputFields(z.toJSONSchema(input, { io: "input" })) };
}

function inputFields(schema: JsonSchema): InputField[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description, default: fallback } = resolved(schema, property);
    return {
      name,
      kind: kindOf(schema, property),
      ...(schema.required?.includes(name) && { required: true }),
      ...(fallback ? { default: fallback as string | boolean } : {}),
      ...(description && { description }),
    };
  });
}

/** Fields of the object, or of each element of the list. */
export function outputFields(root: JsonSchema): Record<string, FieldKind> {
  const top = resolved(root, root);
  const object = top.type === "array" ? resolved(root, top.items as JsonSchema) : top;
  const entries = Object.entries(object.properties ?? {}).map(([name, property]) => [name, kindOf(root, property)]);
  return Object.fromEntries(entries);
}

function kindOf(root: JsonSchema, schema: JsonSchema | boolean): FieldKind {
  const { type: types, pattern = "", description = "" } = withoutNull(root, schema);
  const [type] = [types].flat();
  const { description: words = description } = resolved(root, schema);
  if (pattern.includes("[0-9]+")) return "decimal";
  if (type === "integer") return words.startsWith("Epoch milliseconds") ? "time" : "integer";
  if (type === "boolean") return "boolean";
  return type === "string" ? "text" : "json";
}

/** What a value is when it is not null. */
function withoutNull(root: JsonSchema, schema: JsonSchema | boolean): JsonSchema {
  const found = resolved(root, schema);
  const parts = (found.anyOf ?? []).map((part) => withoutNull(root, part)).filter(({ type }) => type !== "null");
  return parts[0] ?? found;
}

function resolved(root: JsonSchema, schema: JsonSchema | boolean): JsonSchema {
  if (typeof schema === "boolean") return {};
  const name = schema.$ref?.replace("#/$defs/", "");
  return name === undefined
    ? schema
    : resolved(root, { ...(root.$defs?.[name] as JsonSchema), ...without$ref(schema) });
}

function without$ref({ $ref: _, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** Fields that several operations have are written once, under their names; of two with one name, the second has a number. */
function fieldsOfSeveral(): Shared {
  const fields = operationNames.flatMap((name) => operationFacts()[name].input);
  return shared(fields.map((field) => [upperCase(field.name), JSON.stringify(field)]));
}

/** Text of `src/cli/operations/FILE`, formatted as all sources are. */
export function sourceOf(file: keyof typeof GENERATED): string {
  const biome = join(ROOT, "node_modules/.bin/biome");
  return outputOf(biome, ["format", `--stdin-file-path=src/cli/operations/${file}`], {
    cwd: ROOT,
    input: `// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.
// A separate table, because that one loads zod: a halt would start later.
${GENERATED[file]()}`,
  });
}

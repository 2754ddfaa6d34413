import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";
import type { FieldKind, InputField, OperationFacts } from "../../src/cli/operations/facts.ts";
import { directionOf, type Operation } from "../../src/core/operations/operation.ts";
import { type OperationName, operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { ROOT } from "../package/build.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** What the command line has to know of each operation, from the operation table. */
export function operationFacts(): Record<OperationName, OperationFacts> {
  const found = operationNames.map((name) => [name, factsOf(operationRecord(operations, name))]);
  return Object.fromEntries(found) as Record<OperationName, OperationFacts>;
}

function factsOf(operation: Operation): OperationFacts {
  const { summary, permission, lane, target, input, output } = operation;
  const fields = inputFields(z.toJSONSchema(input, { io: "input" }));
  const direction = lane === "read" ? null : (directionOf(operation, undefined) ?? null);
  return { summary, permission, lane, direction, target, input: fields, output: outputFields(z.toJSONSchema(output)) };
}

function inputFields(schema: JsonSchema): InputField[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description = "", default: fallback } = resolved(schema, property);
    const required = schema.required?.includes(name) ?? false;
    return {
      name,
      kind: kindOf(schema, property),
      required,
      default: (fallback as string | boolean) ?? null,
      description,
    };
  });
}

/** Fields of the object, or of each element of the list. */
function outputFields(root: JsonSchema): Record<string, FieldKind> {
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

/** Text of `src/cli/operations/facts.ts`, made from the table and formatted as all sources are. */
export function factsSource(): string {
  const biome = join(ROOT, "node_modules/.bin/biome");
  return execFileSync(biome, ["format", "--stdin-file-path=src/cli/operations/facts.ts"], {
    cwd: ROOT,
    input: unformattedSource(),
    encoding: "utf8",
  });
}

function unformattedSource(): string {
  return `// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.
// A table of its own, because that one loads zod: a halt would start later.
import type { Direction, Lane } from "../../core/operations/operation.ts";
import type { Permission } from "../../core/operations/permission.ts";
import type { OperationName } from "../../core/operations/table.ts";

/** How a value is typed and printed; \`time\` is in epoch milliseconds, \`json\` a list or an object. */
export type FieldKind = "text" | "decimal" | "integer" | "time" | "boolean" | "json";

/** A field of an operation's input. */
export interface InputField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  /** What the API takes where it is left out; null for nothing. */
  readonly default: string | boolean | null;
  readonly description: string;
}

/** What the command line knows of an operation. */
export interface OperationFacts {
  readonly summary: string;
  readonly permission: Permission | null;
  readonly lane: Lane;
  /** Null for a read, and where it depends on the input. */
  readonly direction: Direction | null;
  /** Fields that name what it acts on. */
  readonly target: readonly string[];
  readonly input: readonly InputField[];
  /** Kinds of the fields of its output, or of each element of it. */
  readonly output: Readonly<Record<string, FieldKind>>;
}

/** What the command line knows of each operation. */
export const OPERATION_FACTS: Readonly<Record<OperationName, OperationFacts>> = ${JSON.stringify(operationFacts(), null, 2)};
`;
}

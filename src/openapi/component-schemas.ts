import { z } from "zod";
import type { UnknownFields } from "../core/validation/input-size.ts";
import type { JsonSchema, Reference } from "./open-api.ts";

type Schemas = Readonly<Record<string, JsonSchema>>;

const DEFINITION = "#/$defs/";
const COMPONENT = "#/components/schemas/";

/** Keywords from zod that are of no use to a reader. */
const NOISE: ReadonlySet<string> = new Set(["$schema", "~standard", "$defs", "propertyNames"]);

/**
 * Makes JSON Schema of zod's, in the one manner that client generators agree on: a value that may be null is a list of
 * types, an enumeration or object that may be null is `anyOf`, and nothing stands beside a `$ref`. What has an id becomes a component.
 */
export class ComponentSchemas {
  readonly #components = new Map<string, JsonSchema>();
  readonly #unknownFields: UnknownFields;

  /** `unknownFields` says what happens to fields of a request that no schema knows (decision D-HTTP 6). */
  constructor(unknownFields: UnknownFields) {
    this.#unknownFields = unknownFields;
  }

  /** Schema of a request or a response; its named parts are added to the components. */
  of(schema: z.ZodType): JsonSchema {
    const generated: JsonSchema = z.toJSONSchema(schema, { io: "input" });
    const definitions: Schemas = generated.$defs ?? {};
    return this.#convert(generated, definitions);
  }

  add(name: string, schema: JsonSchema): Reference {
    this.#components.set(name, schema);
    return { $ref: `${COMPONENT}${name}` };
  }

  all(): Schemas {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: JsonSchema, definitions: Schemas): JsonSchema {
    const plain = withoutNullUnion(withoutSiblings(schema, definitions), definitions);
    if (plain.$ref !== undefined) return this.#component(plain.$ref, definitions);
    const entries = Object.entries(plain).filter(([keyword, value]) => this.#isTelling(keyword, value));
    return Object.fromEntries(entries.map(([keyword, value]) => [keyword, this.#keyword(keyword, value, definitions)]));
  }

  #isTelling(keyword: string, value: unknown): boolean {
    if (keyword === "additionalProperties" && value === false) return this.#unknownFields === "reject";
    return !NOISE.has(keyword) && !(value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER);
  }

  #keyword(keyword: string, value: unknown, definitions: Schemas): unknown {
    if (keyword === "properties") {
      const fields = Object.entries(value as Schemas);
      return Object.fromEntries(fields.map(([name, field]) => [name, this.#convert(field, definitions)]));
    }
    if (keyword === "anyOf") return (value as JsonSchema[]).map((option) => this.#convert(option, definitions));
    const isSchema = (keyword === "items" || keyword === "additionalProperties") && typeof value === "object";
    return isSchema ? this.#convert(value as JsonSchema, definitions) : value;
  }

  #component(ref: string, definitions: Schemas): Reference {
    const name = ref.slice(DEFINITION.length);
    if (this.#components.has(name)) return { $ref: `${COMPONENT}${name}` };
    return this.add(name, withVariableNames(name, this.#convert(resolve(ref, definitions), definitions)));
  }
}

/**
 * Names the values of an enumeration for generators, over the whole document: in Go constants of all types share one room, and
 * two enumerations have `Connected`.
 */
function withVariableNames(name: string, schema: JsonSchema): JsonSchema {
  const names = schema.enum?.map((value) => `${constantCase(name)}_${constantCase(`${value}`)}`);
  return names ? { ...schema, "x-enum-varnames": names } : schema;
}

/** `FixSessionStatus` as `FIX_SESSION_STATUS`. */
function constantCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
}

/** Generators read a `$ref` with siblings each in its own way: what is described anew is written out. */
function withoutSiblings(schema: JsonSchema, definitions: Schemas): JsonSchema {
  const { $ref, $schema: _dialect, $defs: _definitions, "~standard": _mark, ...siblings } = schema;
  if ($ref === undefined) return schema;
  return Object.keys(siblings).length === 0 ? { $ref } : { ...resolve($ref, definitions), ...siblings };
}

/** Writes "this or null" as a list of types where "this" is a plain value; enumerations and objects keep their union. */
function withoutNullUnion(schema: JsonSchema, definitions: Schemas): JsonSchema {
  const { anyOf, ...siblings } = schema;
  const [value, nothing, ...more] = anyOf ?? [];
  if (!value || nothing?.type !== "null" || more.length > 0) return schema;
  const target = value.$ref === undefined ? value : resolve(value.$ref, definitions);
  if (target.enum !== undefined || target.type === "object" || typeof target.type !== "string") return schema;
  return { ...target, ...siblings, type: [target.type, "null"] } as unknown as JsonSchema;
}

function resolve(ref: string, definitions: Schemas): JsonSchema {
  const found = definitions[ref.slice(DEFINITION.length)];
  if (!found) throw new Error(`JSON Schema: nothing is defined at ${ref}`);
  return found;
}

import { committedDocument } from "../openapi/committed.ts";

/** What the pages read of a JSON Schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly $ref?: string;
}

/** Texts of fields that name every projection key: the glossary does. */
const KEYS = / Keys: .*$/;

/** The named schemas of the committed OpenAPI document. */
export function schemas(): Readonly<Record<string, Schema>> {
  return (committedDocument().components as { schemas: Readonly<Record<string, Schema>> }).schemas;
}

export function isObject(schema: Schema): boolean {
  return schema.type === "object" && schema.properties !== undefined;
}

/** One row for each field: name, where it travels, type, default, meaning. */
export function fieldRows(schema: Schema, place: string): string[][] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    place,
    typeOf(field),
    defaultOf(field, schema.required?.includes(name) ?? false),
    (resolved(field).description ?? "").replace(KEYS, "").replaceAll("|", "\\|"),
  ]);
}

function defaultOf(field: Schema, isRequired: boolean): string {
  if (isRequired) return "required";
  return field.default === undefined ? "none" : `\`${JSON.stringify(field.default)}\``;
}

function typeOf(field: Schema): string {
  if (field.$ref) return named(field.$ref.split("/").at(-1) ?? "");
  if (field.anyOf) return field.anyOf.map(typeOf).join(" or ");
  if (field.type === "array") return `list of ${typeOf(field.items ?? {})}`;
  if (typeof field.additionalProperties === "object") return `map of ${typeOf(field.additionalProperties)}`;
  return [field.type ?? "any"].flat().map(plain).join(" or ");
}

/** A schema by its name: objects have a table, values are said here. */
function named(name: string): string {
  const schema = schemas()[name] ?? {};
  if (isObject(schema)) return `[${name}](#${name.toLowerCase()})`;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (name === "NullableDecimal") return "decimal or null";
  return name === "DecimalOrNaN" ? 'decimal or `"NaN"`' : name;
}

function plain(type: string): string {
  return type === "boolean" ? "true or false" : type;
}

/** The field itself, or what it refers to when it says nothing of its own. */
function resolved(field: Schema): Schema {
  if (field.description !== undefined || !field.$ref) return field;
  const target = schemas()[field.$ref.split("/").at(-1) ?? ""] ?? {};
  return isObject(target) ? field : target;
}

import type { JsonSchema, OpenApiDocument } from "../../src/openapi/open-api.ts";

/** Whether clients send what a schema describes, or are sent it: what is a narrower choice for one is a wider one for the other. */
export type Direction = "input" | "output";

/** The two documents between which a schema may have changed. */
export interface Documents {
  readonly before: OpenApiDocument;
  readonly after: OpenApiDocument;
}

type Schemas = Readonly<Record<string, JsonSchema>>;

const LOWER_BOUNDS = ["minimum", "minLength", "minItems", "minProperties"] as const;
const UPPER_BOUNDS = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;
/** What a change in does not matter to a client. */
const NOTES = ["description", "examples", "example", "title", "default"];
const COMPARED = [
  "type",
  "enum",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "pattern",
  "format",
  "x-enum-varnames",
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
];
const KNOWN: ReadonlySet<string> = new Set([...NOTES, ...COMPARED]);

/** Compares schemas of two documents, references resolved in each. */
export class SchemaComparison {
  readonly #documents: Documents;
  readonly #direction: Direction;
  readonly #inProgress = new Set<string>();

  constructor(documents: Documents, direction: Direction) {
    this.#documents = documents;
    this.#direction = direction;
  }

  /** What is broken for clients when a schema becomes another, in words; `where` names the place. */
  breaks(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const pair = `${before.$ref} ${after.$ref}`;
    if (this.#inProgress.has(pair)) return [];
    const isReference = before.$ref !== undefined && after.$ref !== undefined;
    if (isReference) this.#inProgress.add(pair);
    const found = this.#compare(where, plain(before, this.#documents.before), plain(after, this.#documents.after));
    this.#inProgress.delete(pair);
    return found;
  }

  #compare(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const unknown = [...Object.keys(before), ...Object.keys(after)].find((keyword) => !KNOWN.has(keyword));
    if (unknown !== undefined) return same(before, after) ? [] : [`${where}: changed, and nobody can judge ${unknown}`];
    return [
      ...this.#choices(where, "type", before.type, after.type),
      ...this.#choices(where, "value", before.enum, after.enum),
      ...renamedValues(where, before, after),
      ...this.#constraints(where, before, after),
      ...this.#fields(where, before, after),
      ...this.#parts(where, before, after),
    ];
  }

  /** Types or values, of which there may be a list; none at all leaves the choice free. */
  #choices(where: string, what: string, before: unknown, after: unknown): string[] {
    const [old, now] = [listOf(before), listOf(after)];
    const [wide, narrow] = this.#direction === "input" ? [now, old] : [old, now];
    if (wide === undefined) return [];
    const verb = this.#direction === "input" ? "is no longer taken" : "may now come";
    if (narrow === undefined) return [`${where}: any other ${what} than ${wide.join(", ")} ${verb}`];
    return narrow.filter((choice) => !wide.includes(choice)).map((choice) => `${where}: the ${what} ${choice} ${verb}`);
  }

  #constraints(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const [strict, loose] = this.#direction === "input" ? [after, before] : [before, after];
    const change = (keyword: "pattern" | "format" | (typeof LOWER_BOUNDS | typeof UPPER_BOUNDS)[number]): string =>
      `${where}: ${keyword} was ${before[keyword] ?? "not there"} and is ${after[keyword] ?? "not there"}`;
    const lower = LOWER_BOUNDS.filter(
      (bound) => numberOf(strict[bound], -Infinity) > numberOf(loose[bound], -Infinity),
    );
    const upper = UPPER_BOUNDS.filter((bound) => numberOf(strict[bound], Infinity) < numberOf(loose[bound], Infinity));
    const pattern = strict.pattern !== undefined && strict.pattern !== loose.pattern ? [change("pattern")] : [];
    const format = before.format === after.format ? [] : [change("format")];
    const isNewDefault = this.#direction === "input" && !same(before.default, after.default);
    const defaults = [before.default, after.default].map((value) => JSON.stringify(value) ?? "not there");
    return [
      ...[...lower, ...upper].map(change),
      ...pattern,
      ...format,
      ...(isNewDefault ? [`${where}: the default was ${defaults[0]} and is ${defaults[1]}`] : []),
    ];
  }

  #fields(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const [old, now] = [fieldsOf(before), fieldsOf(after)];
    const at = (name: string): string => (where === "" ? name : `${where}.${name}`);
    const gone = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
    const [must, may] = this.#direction === "input" ? [after, before] : [before, after];
    const stricter = (must.required ?? []).filter((name) => !may.required?.includes(name) && !gone.includes(name));
    const verb = this.#direction === "input" ? "is required now" : "may be absent now";
    const kept = Object.entries(old).filter(([name]) => !gone.includes(name));
    return [
      ...gone.map((name) => `${at(name)}: the field is gone`),
      ...stricter.map((name) => `${at(name)}: ${verb}`),
      ...kept.flatMap(([name, field]) => this.breaks(at(name), field, now[name] ?? {})),
    ];
  }

  /** Elements of arrays, values of maps, and whether other fields are taken. */
  #parts(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const isArray = before.items !== undefined || after.items !== undefined;
    const items = isArray ? this.breaks(`${where}[]`, schemaOf(before.items), schemaOf(after.items)) : [];
    const [old, now] = [before.additionalProperties, after.additionalProperties];
    const [strict, loose] = this.#direction === "input" ? [now, old] : [old, now];
    if (strict === false && loose !== false) return [...items, `${where}: ${OTHER_FIELDS[this.#direction]}`];
    if (typeof old !== "object" && typeof now !== "object") return items;
    return [...items, ...this.breaks(`${where}{}`, schemaOf(old), schemaOf(now))];
  }
}

/** The constants of generated clients whose names are other ones. */
function renamedValues(where: string, before: JsonSchema, after: JsonSchema): string[] {
  const now = variableNames(after);
  return [...variableNames(before)]
    .filter(([value, name]) => now.has(value) && now.get(value) !== name)
    .map(([value, name]) => `${where}: the name of ${value} was ${name} and is ${now.get(value)}`);
}

function variableNames(schema: JsonSchema): ReadonlyMap<unknown, unknown> {
  const names = listOf(schema["x-enum-varnames"]) ?? [];
  const values = schema.enum ?? [];
  return new Map(names.length === values.length ? names.map((name, index) => [values[index], name]) : []);
}

const OTHER_FIELDS: Readonly<Record<Direction, string>> = {
  input: "fields that are not named are no longer taken",
  output: "fields that are not named may now come",
};

/** A schema without reference, and without the union that says that it may be null. */
function plain(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const schemas: Schemas = document.components.schemas;
  if (schema.$ref !== undefined) return plain(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, document);
  const { anyOf, ...rest } = schema;
  const [value, nothing, ...more] = anyOf ?? [];
  if (value === undefined || nothing?.type !== "null" || more.length > 0) return schema;
  const inner = plain(value as JsonSchema, document);
  return { ...inner, ...rest, type: [...(listOf(inner.type) ?? []), "null"] } as unknown as JsonSchema;
}

function listOf(value: unknown): unknown[] | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value : [value];
}

function numberOf(bound: unknown, otherwise: number): number {
  return typeof bound === "number" ? bound : otherwise;
}

function fieldsOf({ properties }: JsonSchema): Schemas {
  return (properties ?? {}) as Schemas;
}

function schemaOf(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

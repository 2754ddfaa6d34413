import { describe, expect, it } from "vitest";
import { generatedDocument, objectsIn, operationsOf } from "./committed.ts";

const document = generatedDocument();
const objects = [...objectsIn(document)];

/** Schemas and parts of schemas, wherever they are. */
const schemas = objects.filter(([pointer]) => /^\/components\/schemas\/|\/schema(\/|$)/.test(pointer));

function pointers(holds: (object: Readonly<Record<string, unknown>>) => boolean): string[] {
  return schemas.filter(([, object]) => holds(object)).map(([pointer]) => pointer);
}

function patternOf(schema: unknown): unknown {
  return (schema as { pattern?: string }).pattern;
}

function typesOf({ type }: Readonly<Record<string, unknown>>): unknown[] {
  return Array.isArray(type) ? type : [type];
}

describe("D-PKG 7: the rules by which client generators agree on the document", () => {
  it("ask for OpenAPI 3.1.0", () => {
    expect(document.openapi).toBe("3.1.0");
  });

  it("apply to something: nullable values, maps, enumerations, longs, references", () => {
    expect(pointers((schema) => typesOf(schema).includes("null")).length).toBeGreaterThan(10);
    expect(pointers(({ additionalProperties }) => typeof additionalProperties === "object")).toHaveLength(6);
    expect(pointers((schema) => schema.enum !== undefined)).toHaveLength(6);
    expect(pointers((schema) => schema.format === "int64").length).toBeGreaterThan(20);
    expect(pointers((schema) => schema.$ref !== undefined).length).toBeGreaterThan(20);
  });

  it("allow nothing beside a $ref, and every $ref leads somewhere", () => {
    for (const [pointer, object] of objects) {
      const { $ref, ...siblings } = object;
      if ($ref === undefined) continue;
      expect(siblings, pointer).toEqual({});
      const target = objects.find(([candidate]) => `#${candidate}` === $ref);
      expect(target, `${pointer} -> ${$ref}`).toBeDefined();
    }
  });

  it("write a value that may be null as a list of types; an enumeration or object is anyOf with null as the last", () => {
    for (const [pointer, { anyOf }] of schemas) {
      if (anyOf === undefined) continue;
      expect(anyOf, pointer).toEqual([{ $ref: expect.any(String) }, { type: "null" }]);
    }
    for (const [pointer, { type }] of schemas) {
      if (Array.isArray(type)) expect(type, pointer).toEqual([expect.stringMatching(/^(string|integer)$/), "null"]);
    }
    const nullable = document.components.schemas.Service?.properties?.status;
    expect(nullable).toMatchObject({ anyOf: [{ $ref: "#/components/schemas/ServiceStatus" }, { type: "null" }] });
  });

  it("allow no enumeration with null, and give each a name", () => {
    for (const [pointer, object] of schemas) {
      if (object.enum === undefined) continue;
      expect(object.enum, pointer).not.toContain(null);
      expect(pointer).toMatch(/^\/components\/schemas\/\w+$/);
    }
  });

  it("give the values of enumerations names of their own in the whole document", () => {
    const enums = schemas.filter(([, schema]) => schema.enum !== undefined);
    const names = enums.flatMap(([pointer, schema]) => {
      expect(schema["x-enum-varnames"], pointer).toHaveLength((schema.enum as unknown[]).length);
      return schema["x-enum-varnames"] as string[];
    });
    expect(names).toContain("FIX_SESSION_STATUS_CONNECTED");
    expect(names).toContain("SERVICE_STATUS_CONNECTED");
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Z_]+$/);
    expect(new Set(names).size).toBe(names.length);
  });

  it("give projections and projection paths of requests a pattern that RE2 and Rust understand", () => {
    const fields = objects.filter(([, { description, schema }]) => {
      const isField = /^Projection( path)?: .*Empty means/.test(`${description}`);
      return isField && schema === undefined;
    });
    const parameters = objects.filter(
      ([pointer, { name }]) => /\/parameters\/\d+$/.test(pointer) && /^proj/.test(`${name}`),
    );
    const patterns = [
      ...fields.map(([, schema]) => schema.pattern),
      ...parameters.map(([, { schema }]) => patternOf(schema)),
    ];
    expect(patterns).toHaveLength(7);
    for (const pattern of patterns) {
      expect(pattern).toMatch(/^\^\(\(Source\|/);
      expect(pattern).not.toContain("(?");
    }
  });

  it("name values of maps that may be null NullableDecimal", () => {
    const maps = schemas.flatMap(([, { additionalProperties }]) =>
      typeof additionalProperties === "object" ? [additionalProperties] : [],
    );
    const values = new Set(maps.map((value) => JSON.stringify(value)));
    expect(values).toContain('{"$ref":"#/components/schemas/NullableDecimal"}');
    for (const value of values) expect(value).not.toContain('"null"');
  });

  it("close objects of the components only where none of their fields may be null", () => {
    for (const [pointer, object] of schemas) {
      if (object.additionalProperties !== false) continue;
      for (const [name, field] of Object.entries((object.properties ?? {}) as object)) {
        expect(JSON.stringify(field), `${pointer}: ${name}`).not.toContain('"null"');
      }
    }
  });

  it("allow no schema that generators read differently", () => {
    const keywords = [
      "nullable",
      "const",
      "prefixItems",
      "oneOf",
      "allOf",
      "not",
      "patternProperties",
      "propertyNames",
    ];
    for (const keyword of keywords)
      expect(
        pointers((schema) => keyword in schema),
        keyword,
      ).toEqual([]);
  });

  it("D-VAL 5, D-VAL 7: make longs int64; the kind of a service and the names of limits are open, with examples", () => {
    for (const [pointer, schema] of schemas) {
      if (!typesOf(schema).includes("integer")) continue;
      expect(schema.format, pointer).toMatch(/^int(32|64)$/);
    }
    expect(document.components.schemas.Service?.properties?.type).toEqual({
      type: "string",
      description: expect.any(String),
      examples: ["Algorithm", "Connector"],
    });
  });

  it("write objects out only as components", () => {
    const inline = schemas.filter(
      ([pointer, schema]) => schema.properties !== undefined && !/^\/components\/schemas\/\w+$/.test(pointer),
    );
    expect(inline.map(([pointer]) => pointer)).toEqual([]);
  });

  it("give each operation a name that is a method's name", () => {
    for (const { operation } of operationsOf(document)) expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
  });
});

import jsonSchemaTools from "@json-schema-tools/meta-schema";
import openRpcMetaSchema from "@open-rpc/meta-schema";
import { Ajv, type ValidateFunction } from "ajv";
import { beforeAll, describe, expect, it } from "vitest";
import { type BusMethod, busMethods, busRecord, operations } from "../../src/core/operations/table.ts";
import { REFUSAL_CODES } from "../../transports/json-rpc/contract.ts";
import { openRpcDocument } from "./bus-contract/open-rpc.ts";
import { readJson, UPDATES, writeJson } from "./bus-files.ts";
import { examplesOf, recordExchanges } from "./bus-recording.ts";
import { faultsOf } from "./bus-validators.ts";

const FILE = "docs/bus/openrpc.json";

interface Descriptor {
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface Method {
  readonly name: string;
  readonly params: readonly Descriptor[];
  readonly result: Descriptor;
  readonly errors: readonly { readonly $ref: string }[];
  readonly examples: readonly {
    readonly params: readonly { readonly name: string; readonly value: unknown }[];
    readonly result: { readonly value: unknown };
  }[];
  readonly "x-lane": string;
  readonly "x-permission": string | null;
  readonly "x-retry": string;
}

interface OpenRpc {
  readonly methods: readonly Method[];
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly errors: Readonly<Record<string, { readonly code: number }>>;
  };
}

let generated: unknown;
let committed: OpenRpc;

beforeAll(async () => {
  generated = JSON.parse(JSON.stringify(openRpcDocument(examplesOf(await recordExchanges()))));
  if (UPDATES) writeJson(new Map([[FILE, generated]]));
  committed = readJson(FILE) as OpenRpc;
});

/** The OpenRPC specification's own schema, which is JSON Schema draft 7 by other names. */
function openRpcValidator(): ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const base = nameless(jsonSchemaTools);
  for (const id of ["https://meta.json-schema.tools", "https://meta.json-schema.tools/"]) ajv.addSchema(base, id);
  return ajv.compile(nameless(openRpcMetaSchema));
}

/** A schema without the names that would be looked up. */
function nameless(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id"));
}

/** A validator of a schema within the document. */
function within({ components }: OpenRpc, schema: object): ValidateFunction {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  ajv.addFormat("int64", { type: "number", validate: Number.isInteger });
  ajv.addKeyword("components");
  return ajv.compile({ ...schema, components });
}

describe("D-PKG 6: the OpenRPC document is generated from the operation table", () => {
  it("docs/bus/openrpc.json says what the table says (UPDATE_DOCS=1 rewrites it)", () => {
    expect(committed).toEqual(generated);
  });

  it("is valid by the OpenRPC specification's schema, which refuses a broken one", () => {
    const validate = openRpcValidator();
    expect(faultsOf(validate, committed)).toEqual([]);
    expect(validate({ ...committed, methods: [{ summary: "a method without a name" }] })).toBe(false);
  });

  it("has a method for each operation and optional read, in the order of the tables, with input and context by name", () => {
    expect(committed.methods.map(({ name }) => name)).toEqual(busMethods);
    for (const { params } of committed.methods) {
      expect(params.map(({ name, required }) => [name, required])).toEqual([
        ["input", true],
        ["context", true],
      ]);
    }
  });

  it("every reference leads to a component", () => {
    const references = [...JSON.stringify(committed).matchAll(/"\$ref":"#\/components\/(schemas|errors)\/([^"]+)"/g)];
    const all = [...JSON.stringify(committed).matchAll(/"\$ref"/g)];
    const broken = references.filter(([, kind, name]) => !Object.hasOwn(components(kind), name ?? ""));
    expect(broken).toEqual([]);
    expect(references.length).toBe(all.length);
  });

  function components(kind: string | undefined): object {
    return kind === "errors" ? committed.components.errors : committed.components.schemas;
  }

  it("D-DOC 1: lane, permission and retry class are those of the table; a mutation is never retried", () => {
    for (const method of committed.methods) {
      const { lane, permission } = busRecord(operations, method.name as BusMethod);
      const retry = lane === "read" ? "safe" : "never";
      expect([method["x-lane"], method["x-permission"], method["x-retry"]]).toEqual([lane, permission, retry]);
    }
  });

  it("names the error codes of the engine; not-found only where a resource is named, stop-came-first only of changes", () => {
    for (const { name, errors } of committed.methods) {
      const codes = errors.map(({ $ref }) => committed.components.errors[$ref.split("/").at(-1) ?? ""]?.code);
      const { path, lane } = busRecord(operations, name as BusMethod);
      expect(codes.includes(REFUSAL_CODES["not-found"])).toBe(path.includes("{"));
      expect(codes.includes(REFUSAL_CODES["stop-came-first"])).toBe(lane === "change");
      const { "not-found": _, "stop-came-first": __, ...others } = REFUSAL_CODES;
      expect(codes).toEqual(expect.arrayContaining(Object.values(others)));
    }
  });

  it("shows a real exchange of every operation, valid by the method's own schemas", () => {
    for (const { name, params, result, examples } of committed.methods) {
      expect(examples.length, name).toBeGreaterThan(0);
      for (const example of examples) {
        for (const [index, { schema }] of params.entries()) {
          expect(faultsOf(within(committed, schema), example.params[index]?.value), name).toEqual([]);
        }
        expect(faultsOf(within(committed, result.schema), example.result.value), name).toEqual([]);
      }
    }
  });
});

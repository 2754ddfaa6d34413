import { extensions } from "../../src/core/operations/extensions.ts";
import { buildOperations } from "../../src/core/operations/table.ts";
import { projectionKeys } from "../../src/core/values/projection.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import type { OpenApiDocument, OperationObject } from "../../src/openapi/open-api.ts";
import { readJson } from "../docs/bus-files.ts";

export const FILE = "docs/openapi.json";

/** The document as it is committed. */
export function committedDocument(): OpenApiDocument {
  return readJson(FILE) as OpenApiDocument;
}

/** The document of an installation with the standard projection keys, as it travels. */
export function generatedDocument(): OpenApiDocument {
  const operations = buildOperations(projectionKeys());
  const document = openApiDocument({ operations, extensions, unknownFields: "reject" }, { security: "basic" });
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

/** All operations of a document, with the path and the method of each. */
export function operationsOf(
  document: OpenApiDocument,
): { readonly path: string; readonly method: string; readonly operation: OperationObject }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Every object within a value, with the JSON pointer of each. */
export function* objectsIn(value: unknown, pointer = ""): Generator<[string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Readonly<Record<string, unknown>>];
  for (const [key, part] of Object.entries(value)) {
    yield* objectsIn(part, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

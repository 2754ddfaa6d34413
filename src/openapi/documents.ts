import { stringify } from "yaml";
import type { HttpDocument } from "../http/documents.ts";
import { type DescribedApi, type OpenApiOptions, openApiDocument } from "./document.ts";

/** Path of the document as JSON (specification, "Machine-readable description"). */
export const OPENAPI_PATH = "/v3/api-docs";

/**
 * Makes the documents that describe an API: `/v3/api-docs` (JSON) and `/v3/api-docs.yaml`. They are made once; an
 * adapter serves them to whom the API itself would serve (specification, "Machine-readable description").
 *
 * @example
 * adminHandler(api, { authenticator, documents: openApiDocuments(api, { security: "basic" }) });
 */
export function openApiDocuments(api: DescribedApi, options: OpenApiOptions): HttpDocument[] {
  const document = openApiDocument(api, options);
  return [
    { path: OPENAPI_PATH, contentType: "application/json", content: JSON.stringify(document) },
    // RFC 9512.
    { path: `${OPENAPI_PATH}.yaml`, contentType: "application/yaml", content: yamlOf(document) },
  ];
}

/** Written out in full: an alias in place of a repetition is more than some readers of YAML understand. */
function yamlOf(document: unknown): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

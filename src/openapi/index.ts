/**
 * The OpenAPI 3.1 document and the interactive page, for hosts.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { HttpDocument } from "../http/documents.ts";
export { type DescribedApi, type OpenApiOptions, openApiDocument, openApiDocuments } from "./document.ts";
export type {
  Content,
  ExampleObject,
  HeaderObject,
  JsonSchema,
  Named,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  ResponseObject,
  SecuritySchemeName,
  SecuritySchemeObject,
} from "./open-api.ts";
export { type DocsPageOptions, docsPage } from "./page/docs-page.ts";

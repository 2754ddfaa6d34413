// The machine-readable description of the API: the OpenAPI 3.1 document, and what an adapter needs to serve it.
export type { HttpDocument } from "../http/documents.ts";
export { type DescribedApi, type OpenApiOptions, openApiDocument } from "./document.ts";
export { openApiDocuments } from "./documents.ts";
export type {
  Content,
  ExampleObject,
  HeaderObject,
  JsonSchema,
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

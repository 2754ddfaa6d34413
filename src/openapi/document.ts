import { stringify } from "yaml";
import { BASE_PATH } from "../core/conventions.ts";
import { LoopTurns } from "../core/load/turns.ts";
import { type CallTables, callRecords } from "../core/operations/table.ts";
import { ifGiven, objectWith, oneOf, optionsOf, requireArgument, textLike } from "../core/options.ts";
import type { UnknownFields } from "../core/validation/input-size.ts";
import type { HttpDocument } from "../http/documents.ts";
import { ComponentSchemas } from "./component-schemas.ts";
import { errorBody, errorComponents } from "./error-responses.ts";
import { CONDITION_PARAMETERS, HEADER_PARAMETERS, HEADERS } from "./headers.ts";
import { ABOUT, TAG_NOTES } from "./notes.ts";
import type { OpenApiDocument, OperationObject, SecuritySchemeName, SecuritySchemeObject } from "./open-api.ts";
import { NOT_MODIFIED, operationObject } from "./operation-object.ts";

/** Facts about the installation for the document, such as an `AdminApi` has. */
export interface DescribedApi extends CallTables {
  readonly unknownFields: UnknownFields;
}

export interface OpenApiOptions {
  /** The mechanism that the installation is configured for (specification, "Authentication"). */
  readonly security: SecuritySchemeName;
  /** URL of the base path as clients see it; `/api/admin/v1` unless a host or a proxy serves it below another path. */
  readonly serverUrl?: string;
}

const SECURITY_SCHEMES: Readonly<Record<SecuritySchemeName, SecuritySchemeObject>> = {
  basic: {
    type: "http",
    scheme: "basic",
    description: "HTTP Basic against the user directory (RFC 7617). Use it only over TLS.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "Access token of the identity provider, got by the client credentials grant or another flow.",
  },
};

const checked = optionsOf<OpenApiOptions>("openApiDocument", {
  security: oneOf(SECURITY_SCHEMES),
  serverUrl: ifGiven(textLike('"/api/admin/v1"')),
});

/**
 * Makes the OpenAPI 3.1 document of an API from its operation table (specification, "Machine-readable description").
 * Two calls for one installation give equal documents.
 *
 * @example
 * const document = openApiDocument(api, { security: "basic" });
 */
export function openApiDocument(api: DescribedApi, options: OpenApiOptions): OpenApiDocument {
  requireArgument("openApiDocument", "api", api, objectWith("operations", "new AdminApi({ transport, audit })"));
  const { security, serverUrl = BASE_PATH } = checked(options);
  const schemas = new ComponentSchemas(api.unknownFields);
  const paths = pathsOf(api, schemas);
  const responses = { NotModified: NOT_MODIFIED, ...errorComponents(schemas.of(errorBody)) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Trading administration",
      version: BASE_PATH.slice(BASE_PATH.lastIndexOf("/") + 1),
      description: ABOUT,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverUrl, description: "The server of this document." }],
    security: [{ [security]: [] }],
    tags: Object.entries(TAG_NOTES).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.all(),
      responses,
      parameters: { ...HEADER_PARAMETERS, ...CONDITION_PARAMETERS },
      headers: HEADERS,
      securitySchemes: { [security]: SECURITY_SCHEMES[security] },
    },
  };
}

function pathsOf(tables: CallTables, schemas: ComponentSchemas): OpenApiDocument["paths"] {
  const paths: Record<string, Partial<Record<"get" | "post", OperationObject>>> = {};
  for (const [name, operation] of callRecords(tables)) {
    const method = operation.method === "GET" ? "get" : "post";
    paths[operation.path] = { ...paths[operation.path], [method]: operationObject(name, operation, schemas) };
  }
  return paths;
}

/** Path of the document as JSON (specification, "Machine-readable description"). */
export const OPENAPI_PATH = "/v3/api-docs";

/**
 * Makes the documents that describe an API: `/v3/api-docs` (JSON) and `/v3/api-docs.yaml`, which is written when it is first read; an
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
    { path: `${OPENAPI_PATH}.yaml`, contentType: "application/yaml", content: { make: () => yamlInTurns(document) } },
  ];
}

/** Deep enough that what is written in one piece is at most a member of an operation or of a schema. */
const SPLIT_TO_DEPTH = 3;

/** Writes what `stringify` makes of the whole document, but so that halts do not wait for it. */
async function yamlInTurns(document: object): Promise<string> {
  const turns = new LoopTurns();
  const texts: string[] = [];
  const write = async (entries: object, depth: number): Promise<void> => {
    const indent = "  ".repeat(depth);
    for (const [key, value] of Object.entries(entries)) {
      if (turns.isOver()) await turns.next();
      if (depth < SPLIT_TO_DEPTH && hasEntries(value)) {
        texts.push(`${indent}${yamlOf({ [key]: 0 }).replace(/ 0\n$/, "\n")}`);
        await write(value, depth + 1);
      } else if (value !== undefined) texts.push(yamlOf({ [key]: value }).replace(/^(?=.)/gm, indent));
    }
  };
  await write(document, 0);
  return texts.join("");
}

function hasEntries(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** Written out in full: an alias in place of a repetition is more than some readers of YAML understand. */
function yamlOf(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

import type { z } from "zod";
import type { Lane, RetryClass } from "../core/operations/operation.ts";
import type { CallName } from "../core/operations/table.ts";
import type { Permission } from "../core/principal.ts";

/** The parts of OpenAPI 3.1 that the document is made of. */

/** JSON Schema in the dialect of OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Points to a component of the document. */
export type Reference = { readonly $ref: string };

/** One value as it travels, with a line about it. */
export interface ExampleObject {
  readonly summary: string;
  /** What more there is to say, in Markdown. */
  readonly description?: string;
  readonly value: unknown;
}

/** Parts of the document by their names. */
export type Named<T> = Readonly<Record<string, T>>;

/** A parameter in path, query or header. */
export interface ParameterObject extends HeaderObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly example?: unknown;
}

export interface HeaderObject {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export type Content = Readonly<
  Record<"application/json", { readonly schema: JsonSchema; readonly examples: Named<ExampleObject> }>
>;

export interface RequestBodyObject {
  readonly required: boolean;
  readonly content: Content;
}

/** One response; without `content` it has no body. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: Named<Reference>;
  readonly content?: Content;
}

export interface OperationObject {
  readonly operationId: CallName;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** Permission that a caller needs, or null. */
  readonly "x-permission": Permission | null;
  /** How the operation is treated under load and when it cannot be recorded. */
  readonly "x-lane": Lane;
  /** Whether a client may repeat the request on its own. */
  readonly "x-retry": RetryClass;
  /** Whether the operation is beyond the specification; absent from all others. */
  readonly "x-extension"?: true;
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Named<ResponseObject | Reference>;
}

/** How callers authenticate, as the document says it: HTTP Basic, or bearer tokens of an identity provider. */
export type SecuritySchemeName = "basic" | "bearer";

export interface SecuritySchemeObject {
  readonly type: "http";
  readonly scheme: SecuritySchemeName;
  readonly bearerFormat?: "JWT";
  readonly description: string;
}

/** The OpenAPI 3.1 document of the API. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Named<readonly string[]>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Named<Readonly<Partial<Record<"get" | "post", OperationObject>>>>;
  readonly components: {
    readonly schemas: Named<JsonSchema>;
    readonly responses: Named<ResponseObject>;
    readonly parameters: Named<ParameterObject>;
    readonly headers: Named<HeaderObject>;
    readonly securitySchemes: Named<SecuritySchemeObject>;
  };
}

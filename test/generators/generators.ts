import type { Generator } from "./generator.ts";
import { heyApi } from "./hey-api.ts";
import { openapiTypescript } from "./openapi-typescript.ts";
import { orval } from "./orval.ts";
import { encodingSwaggerTypescriptApi, swaggerTypescriptApi } from "./swagger-typescript-api.ts";

/** All generators, with the ways to run them. */
export const GENERATORS: readonly Generator[] = [
  openapiTypescript,
  heyApi,
  orval,
  swaggerTypescriptApi,
  encodingSwaggerTypescriptApi,
];

/**
 * A console for operators, in a browser: what an adapter needs to serve it.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { HttpDocument } from "../http/documents.ts";
export { type ConsoleOptions, consolePage } from "./console-page.ts";
export type { RecordedApi } from "./records.ts";

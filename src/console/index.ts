/**
 * A console for operators, in a browser: what an adapter needs to serve it.
 *
 * Ids such as `D-HTTP 1` are decisions, in `docs/decisions.md` of the repository; "specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { HttpDocument } from "../http/documents.ts";
export { type ConsoleOptions, consolePage } from "./console-page.ts";
export type { RecordedApi } from "./records.ts";

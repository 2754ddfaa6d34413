/**
 * A console for operators, in a browser: what an adapter needs to serve it.
 *
 * Ids such as `D-HTTP 1` are decisions, in `docs/decisions.md` of this package; "specification" is its `docs/specification.md`.
 *
 * @module
 */
export type { HttpDocument } from "../http/documents.ts";
export { type ConsoleOptions, consolePage } from "./console-page.ts";

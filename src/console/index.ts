// A console for operators, in a browser: what an adapter needs to serve it.
export type { HttpDocument } from "../http/documents.ts";
export { type ConsoleOptions, consolePage } from "./console-page.ts";
export { KnownNodes } from "./known-nodes.ts";

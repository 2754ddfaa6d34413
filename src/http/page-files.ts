import { readFileSync } from "node:fs";
import type { HttpDocument } from "./documents.ts";

/**
 * Everything is of this server, nothing is in the text of the page, and no other page may show it in a frame. Small pictures are
 * in the style sheet.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** The browser keeps its copy, and asks whether it is still good: there is nothing secret in it. */
const FILE_HEADERS = { "Cache-Control": "private, no-cache" };

const CONTENT_TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
} as const;

/** The text of a page, with the headers that pages of ours have. */
export function htmlPage(path: string, content: string): HttpDocument {
  return { path, contentType: "text/html; charset=utf-8", content, headers: PAGE_HEADERS };
}

/** A file that a page loads, read now; the ending of its name says what it is. */
export function pageFile(path: `${string}.${keyof typeof CONTENT_TYPES}`, from: string): HttpDocument {
  const ending = path.slice(path.lastIndexOf(".") + 1) as keyof typeof CONTENT_TYPES;
  return { path, contentType: CONTENT_TYPES[ending], content: readFileSync(from), headers: FILE_HEADERS };
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { PAGE_KEY_NAME } from "../core/conventions.ts";
import type { Principal } from "../core/principal.ts";
import type { HttpDocument } from "./documents.ts";

/** No inline code, no other origin, no framing. Small images are in the style sheet, as `data:`. */
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

/** The browser may cache the file, but revalidates it. Nothing in it is secret. */
const FILE_HEADERS = { "Cache-Control": "private, no-cache" };

const CONTENT_TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
} as const;

/** Text as HTML has it, in elements and attributes. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/**
 * A page, with the security headers that all pages have; `content` makes it with what its head has to have. The style of a page that must
 * not load any is allowed by its hash.
 */
export function htmlPage(path: string, content: (head: string) => string, style?: string): HttpDocument {
  const withKey = (_user: Principal, pageKey: string | undefined): string =>
    content(pageKey === undefined ? "" : `\n    <meta name="${PAGE_KEY_NAME}" content="${pageKey}">`);
  const headers = style === undefined ? PAGE_HEADERS : { ...PAGE_HEADERS, ...policyWith(style) };
  return { path, contentType: "text/html; charset=utf-8", content: withKey, headers };
}

function policyWith(style: string): Record<string, string> {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = CONTENT_SECURITY_POLICY.replace("style-src 'self'", `style-src 'sha256-${hash}'`);
  return { "Content-Security-Policy": policy };
}

/** A file that a page loads, read immediately; its extension determines the content type. */
export function pageFile(path: `${string}.${keyof typeof CONTENT_TYPES}`, from: string): HttpDocument {
  const ending = path.slice(path.lastIndexOf(".") + 1) as keyof typeof CONTENT_TYPES;
  return { path, contentType: CONTENT_TYPES[ending], content: readFileSync(from), headers: FILE_HEADERS };
}

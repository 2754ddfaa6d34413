import { readFileSync } from "node:fs";
import { join } from "node:path";
import libraryFolder from "swagger-ui-dist/absolute-path.js";
import { builtFile } from "../../files/package-files.ts";
import type { HttpDocument } from "../../http/documents.ts";

/** Where the page is (the paths of springdoc, which users of the monitor know). */
export const PAGE_PATH = "/swagger-ui.html";
export const PAGE_FOLDER = "/swagger-ui";

const SCRIPT = "docs-page/page.js";
const STYLE = "docs-page/page.css";

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

/**
 * Makes the interactive page that describes the API, and what it is made of: `/swagger-ui.html` and `/swagger-ui/`. It shows the
 * document of `openApiDocuments`, which has to be served beside it.
 *
 * @example
 * const documents = [...openApiDocuments(api, { security: "basic" }), ...docsPage()];
 * adminHandler(api, { authenticator, documents });
 */
export function docsPage(): HttpDocument[] {
  const library = libraryFolder();
  const fromLibrary = (name: string, contentType: string): HttpDocument => file(name, contentType, join(library, name));
  return [
    page(PAGE_PATH, "swagger-ui/"),
    page(`${PAGE_FOLDER}/index.html`, ""),
    fromLibrary("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    fromLibrary("swagger-ui.css", "text/css; charset=utf-8"),
    fromLibrary("favicon-32x32.png", "image/png"),
    file("page.js", "text/javascript; charset=utf-8", builtFile(SCRIPT)),
    file("page.css", "text/css; charset=utf-8", builtFile(STYLE)),
  ];
}

/** The page; `folder` is where its parts are, as seen from it. */
function page(path: string, folder: string): HttpDocument {
  const content = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trading administration</title>
    <link rel="stylesheet" href="${folder}swagger-ui.css">
    <link rel="stylesheet" href="${folder}page.css">
    <link rel="icon" type="image/png" href="${folder}favicon-32x32.png">
  </head>
  <body>
    <noscript>This page needs JavaScript; the document it shows is at v3/api-docs.</noscript>
    <main id="page"></main>
    <script src="${folder}swagger-ui-bundle.js"></script>
    <script src="${folder}page.js"></script>
  </body>
</html>
`;
  return { path, contentType: "text/html; charset=utf-8", content, headers: PAGE_HEADERS };
}

function file(name: string, contentType: string, from: string): HttpDocument {
  return { path: `${PAGE_FOLDER}/${name}`, contentType, content: readFileSync(from), headers: FILE_HEADERS };
}

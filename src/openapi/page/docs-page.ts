import { join } from "node:path";
// @ts-expect-error: the package has no types.
import libraryFolder from "swagger-ui-dist/absolute-path.js";
import { FLAG, ifGiven, optionsOf, textLike } from "../../core/options.ts";
import { builtFile } from "../../files/package-files.ts";
import { type HttpDocument, redirect, userDocument } from "../../http/documents.ts";
import { badgeOf, checkColour, iconOf, inColour, pageTitle } from "../../http/installation.ts";
import { loggedOutPage } from "../../http/logged-out.ts";
import { htmlPage, pageFile } from "../../http/page-files.ts";

/** Where the page is (the paths of springdoc, which users of the monitor know). */
export const PAGE_PATH = "/swagger-ui.html";
export const PAGE_FOLDER = "/swagger-ui";

export interface DocsPageOptions {
  /** Whether the console (`consolePage`) is served beside it, and linked. */
  readonly console?: boolean | undefined;
  /** Name of the installation, in header and title: who has two of them open sees which is which. */
  readonly name?: string | undefined;
  /** Colour of the installation, at the top and in the icon: a name of CSS or `#rrggbb`. */
  readonly colour?: string | undefined;
}

const checked = optionsOf<DocsPageOptions>("docsPage", {
  console: ifGiven(FLAG),
  name: ifGiven(textLike('"LONDON PROD"')),
  colour: ifGiven(textLike('"crimson"')),
});

/**
 * Makes the interactive page that describes the API, and what it is made of: `/swagger-ui.html` and `/swagger-ui/`. It shows the
 * document of `openApiDocuments`, which has to be served beside it.
 *
 * @example
 * const documents = [...openApiDocuments(api, { security: "basic" }), ...docsPage()];
 * adminHandler(api, { authenticator, documents });
 */
export function docsPage(options: DocsPageOptions = {}): HttpDocument[] {
  const shown = checked(options);
  const { name, colour } = shown;
  checkColour(colour);
  const library: string = libraryFolder();
  const ours = (file: "page.js" | "page.css"): HttpDocument =>
    pageFile(`${PAGE_FOLDER}/${file}`, builtFile(`docs-page/${file}`));
  return [
    page(PAGE_PATH, "swagger-ui/", shown),
    page(`${PAGE_FOLDER}/index.html`, "", shown),
    redirect(`${PAGE_FOLDER}/`, "index.html"),
    pageFile(`${PAGE_FOLDER}/swagger-ui-bundle.js`, join(library, "swagger-ui-bundle.js")),
    pageFile(`${PAGE_FOLDER}/swagger-ui.css`, join(library, "swagger-ui.css")),
    pageFile(`${PAGE_FOLDER}/favicon-32x32.png`, join(library, "favicon-32x32.png")),
    ours("page.js"),
    inColour(ours("page.css"), colour),
    userDocument(`${PAGE_FOLDER}/user.json`),
    loggedOutPage(`${PAGE_FOLDER}/logged-out`, name, `..${PAGE_PATH}`),
  ];
}

/** The page; `folder` is where its parts are, as seen from it. */
function page(path: string, folder: string, { console = false, name, colour }: DocsPageOptions): HttpDocument {
  const home = folder === "" ? "../" : "";
  const link = console ? `\n      <a href="${home}console">Console</a>` : "";
  const icon = colour === undefined ? `type="image/png" href="${folder}favicon-32x32.png"` : `href="${iconOf(colour)}"`;
  const content = (head: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">${head}
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${pageTitle(name, "Trading administration")}</title>
    <link rel="stylesheet" href="${folder}swagger-ui.css">
    <link rel="stylesheet" href="${folder}page.css">
    <link rel="icon" ${icon}>
  </head>
  <body>
    <noscript>This page needs JavaScript; the document it shows is at v3/api-docs.</noscript>
    <header class="site">
      <strong>${badgeOf(name)}API</strong>${link}
      <span class="user"><span id="user"></span> <button type="button" id="log-out">Log out</button></span>
    </header>
    <div class="status" role="status" aria-atomic="false" id="status"></div>
    <div id="page"></div>
    <script src="${folder}swagger-ui-bundle.js"></script>
    <script src="${folder}page.js"></script>
  </body>
</html>
`;
  return htmlPage(path, content);
}

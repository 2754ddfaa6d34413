import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository: the Markdown pages of the site are the ones that are read there. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Where the reference of the public entries is on the site. */
export const TYPESCRIPT = "/api/";

/** What else of `docs` the site has, at the same place: the OpenAPI document and the schemas of the bus. */
export const SERVED = ["openapi.json", "bus"];

/** The place on the site of a page, by its path in the repository: `docs/operate/start.md` is at `operate/start.md`. */
export function placeOf(page) {
  if (page === "README.md") return "index.md";
  if (page === "docs/README.md") return "contents.md";
  if (!page.includes("/")) return page.toLowerCase();
  return page.replace(/^docs\//, "").replace(/README\.md$/, "index.md");
}

/**
 * Where a link of a page leads on the site; undefined if what it names is not there. `repository` is the address of the
 * repository's files, if the site has one.
 */
export function targetOf(page, href, repository) {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [file, anchor] = href.split("#");
  const path = normalize(join(dirname(page), decodeURI(file))).replace(/\/$/, "");
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  if (path.endsWith(".md") && isPage(path)) return `/${placeOf(path)}${suffix}`;
  if (isServed(path)) return path.replace(/^docs/, "");
  return repository && `${repository}/${path}${suffix}`;
}

/** Whether a Markdown file is a page of the site. */
function isPage(path) {
  return /^([^/]+|(docs|examples)\/.+)$/.test(path) && existsSync(join(ROOT, path));
}

function isServed(path) {
  return path.endsWith(".json") && SERVED.some((name) => path === `docs/${name}` || path.startsWith(`docs/${name}/`));
}

/** An anchor as GitHub makes it of a heading, so that one link is right at both places. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** The groups of `docs/README.md`, each with its links. */
export function contents() {
  const [, ...groups] = readFileSync(join(ROOT, "docs/README.md"), "utf8").split(/^## /m);
  return groups.map((group) => {
    const [title] = group.split("\n", 1);
    const items = [...group.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, href]) => ({
      text: text.charAt(0).toUpperCase() + text.slice(1),
      link: targetOf("docs/README.md", href),
    }));
    return { title, items };
  });
}

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository: the Markdown pages of the site are the ones that are read there. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The path below which the site is served. */
export const BASE = process.env.SITE_BASE || "/";

/** The page of the repository that the site begins with. */
export const START_PAGE = "README.md";

/** Where the reference of the public entries is on the site. */
export const TYPESCRIPT = "/api/";

/** What is at the top of each page, the reference of the public entries included. */
export const NAVIGATION = [
  { text: "Start", link: "/operate/start" },
  { text: "Runbook", link: "/operate/runbook" },
  { text: "Embed", link: "/embed/" },
  { text: "Build an engine", link: "/engine/" },
  { text: "HTTP", link: "/reference/operations" },
  { text: "TypeScript", link: TYPESCRIPT, target: "_self" },
];

/** What else of `docs` the site has, at the same place: the OpenAPI document and the schemas of the bus. */
export const SERVED = ["openapi.json", "bus"];

/** The place on the site of a page, by its path in the repository: `docs/operate/start.md` is at `operate/start.md`. */
export function placeOf(page) {
  if (page === START_PAGE) return "index.md";
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

/** The address of a page of the site, for links outside its Markdown: `/operate/start` or `/operate/start.md` is at `/operate/start.html`. */
export function addressOf(link) {
  const [path, anchor] = link.split("#");
  const file = path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "");
  const address = file.endsWith("/") ? file : `${file}.html`;
  return `${BASE}${address.slice(1)}${anchor === undefined ? "" : `#${anchor}`}`;
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
    return { title, items: linksIn("docs/README.md", group) };
  });
}

/** The first sentence of `README.md`, and its table of readers: who each is, what to read first, and what then. */
export function welcome() {
  const text = readFileSync(join(ROOT, START_PAGE), "utf8");
  const [, title, sentence] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(text);
  const [, rows] = /^\| You are \|.*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(text);
  const readers = rows
    .trim()
    .split("\n")
    .map((row) => row.split("|").slice(1, 4));
  return {
    title,
    sentence: sentence.replaceAll("\n", " "),
    readers: readers.map(([reader, first, next]) => ({
      reader: capitalised(reader.trim()),
      first: linksIn(START_PAGE, first),
      next: linksIn(START_PAGE, next),
    })),
  };
}

function linksIn(page, text) {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, words, href]) => ({
    text: capitalised(words.replaceAll("*", "")),
    link: targetOf(page, href),
  }));
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

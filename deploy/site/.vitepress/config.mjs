import { cpSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { breakablePaths, drawnDiagrams, indentedCode, siteLinks } from "../markdown.mjs";
import { anchorOf, contents, placeOf, ROOT, SERVED, TYPESCRIPT } from "../pages.mjs";

/** The path below which the site is served. */
const base = process.env.SITE_BASE || "/";

/** The address below which the repository's files are shown, such as `https://HOST/OWNER/NAME/blob/main`. */
const repository = process.env.SITE_REPOSITORY;

const typescript = { text: "TypeScript", link: TYPESCRIPT, target: "_self" };

export default defineConfig({
  title: "trading-admin-api",
  description: "The administrative HTTP API of a trading engine",
  lang: "en",
  base,
  srcDir: ROOT,
  srcExclude: ["!(docs|examples)/**/*"],
  outDir: join(ROOT, "site"),
  cacheDir: join(ROOT, "deploy/site/node_modules/.vitepress"),
  rewrites: placeOf,
  metaChunk: true,
  head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { haproxy: "nginx" },
    config(md) {
      siteLinks(md, repository);
      drawnDiagrams(md);
      indentedCode(md);
      breakablePaths(md);
    },
  },
  vite: {
    publicDir: join(ROOT, "deploy/site/public"),
    // The search index, which is read when somebody searches.
    build: { chunkSizeWarningLimit: 1500 },
  },
  themeConfig: {
    nav: [
      { text: "Start", link: "/operate/start" },
      { text: "Runbook", link: "/operate/runbook" },
      { text: "Embed", link: "/embed/" },
      { text: "Build an engine", link: "/engine/" },
      { text: "HTTP", link: "/reference/operations" },
      typescript,
    ],
    sidebar: contents().map(({ title, items }) => ({
      text: title,
      items: title === "Reference" ? [...items, typescript] : items,
    })),
    outline: [2, 3],
    search: { provider: "local" },
  },
  buildEnd({ outDir }) {
    for (const name of SERVED) cpSync(join(ROOT, "docs", name), join(outDir, name), { recursive: true });
  },
});

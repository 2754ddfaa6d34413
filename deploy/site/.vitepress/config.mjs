import { cpSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { cardsOf } from "../cards.mjs";
import { breakableCode, drawnDiagrams, indentedCode, siteLinks, untimedHighlighting, welcomed } from "../markdown.mjs";
import { anchorOf, BASE as base, contents, NAVIGATION, placeOf, ROOT, SERVED, START_PAGE } from "../pages.mjs";

/** The address below which the repository's files are shown, such as `https://HOST/OWNER/NAME/blob/main`. */
const repository = process.env.SITE_REPOSITORY;

const typescript = NAVIGATION.at(-1);

/** Words that say nothing about what is looked for. */
const searchOptions = {
  combineWith: "AND",
  // A typo in a long word is forgiven; a short one would be another word.
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  prefix: (term) => term.length > 2,
  boost: { title: 6, titles: 2, text: 1 },
  processTerm: (term) =>
    /^(?:an?|the|of|to|in|is|it|for|and|or|on|by|how|do|i|my|with)$/i.test(term) ? null : term.toLowerCase(),
  boostDocument: (id) => (/\/(?:changelog|contributing|decisions|settings)\b/.test(id) ? 0.3 : 1),
};

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
    codeTransformers: [untimedHighlighting],
    config(md) {
      siteLinks(md, repository);
      welcomed(md);
      drawnDiagrams(md);
      indentedCode(md);
      breakableCode(md);
    },
  },
  vite: {
    publicDir: join(ROOT, "deploy/site/public"),
    // The search index, which is read when somebody searches.
    build: { chunkSizeWarningLimit: 1500 },
  },
  themeConfig: {
    nav: NAVIGATION,
    sidebar: contents().map(({ title, items }) => ({
      text: title,
      items: title === "Reference" ? [...items, typescript] : items,
    })),
    outline: [2, 3],
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
    notFound: {
      title: "There is no such page",
      quote: "It may have moved: search for it, or start from the contents.",
      linkText: "Contents",
      link: "/contents",
    },
  },
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath === placeOf(START_PAGE)) Object.assign(frontmatter, { layout: "home", ...cardsOf() });
  },
  buildEnd({ outDir }) {
    for (const name of SERVED) cpSync(join(ROOT, "docs", name), join(outDir, name), { recursive: true });
  },
});

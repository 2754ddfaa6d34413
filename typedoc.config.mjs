import { readFileSync } from "node:fs";
import { addressOf, BASE, NAVIGATION } from "./deploy/site/pages.mjs";

const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", import.meta.url), "utf8"));

/** The name of an entry, by the path that TypeDoc names it by: what is imported is what a reader looks for. */
const names = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([name, [path]]) => [path.replace(/^\.\/|(\/index)?\.ts$/g, ""), name]),
);

function nameEntries(app) {
  app.converter.on("resolveBegin", ({ project }) => {
    for (const entry of project.children ?? []) entry.name = names[entry.name] ?? entry.name;
  });
}

/** The first page says what each entry is for, by the first sentence of its doc string. */
function introduceEntries(app) {
  app.converter.on("resolveEnd", ({ project }) => {
    const rows = (project.children ?? []).flatMap((entry) => [
      text("\n| "),
      { kind: "inline-tag", tag: "@link", text: entry.name, target: entry },
      text(` | ${firstSentence(entry)} |`),
    ]);
    const head = text(
      "# TypeScript reference\n\nWhat a TypeScript program can import, and what each entry is for.\n\n| Entry | For |\n| --- | --- |",
    );
    project.readme = [head, ...rows];
  });
}

/** What only test harnesses import is found behind what programs do. */
function findTestingLast(app) {
  app.converter.on("resolveEnd", ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      if (reflection.getFullName().startsWith(`${project.name}/testing.`)) reflection.relevanceBoost = 0.1;
    }
  });
}

function text(content) {
  return { kind: "text", text: content };
}

function firstSentence({ comment }) {
  const [first = ""] = (comment?.summary ?? [])
    .map((part) => part.text)
    .join("")
    .split(/\n\n|(?<=\.)\s/);
  return first.replaceAll(/\s+/g, " ");
}

/** As a part of the site, it has the other pages at its top, and their light or dark. */
function partOfTheSite() {
  const links = NAVIGATION.map(({ text, link }) => [text, addressOf(link)]);
  return { titleLink: BASE, navigationLinks: Object.fromEntries(links), customJs: "deploy/site/api.js" };
}

/** A reference of the public entries, made from their doc strings; `tsconfig.json` says which they are. */
export default {
  name: "trading-admin-api",
  entryPoints: Object.values(compilerOptions.paths).flat(),
  // Not committed: it changes with every line of the sources.
  out: "api-reference",
  readme: "none",
  favicon: "deploy/site/public/icon.svg",
  customCss: "deploy/site/api.css",
  plugin: [nameEntries, introduceEntries, findTestingLast],
  // The text has its own.
  headings: { readme: false },
  // The search of the other pages finds their words.
  locales: { en: { theme_search: "Search TypeScript names", theme_search_placeholder: "Search TypeScript names" } },
  navigation: { includeFolders: false },
  ...(process.env.SITE_BASE && partOfTheSite()),
  excludePrivate: true,
  disableSources: true,
  // What an option or a result names can be had from an entry, or this fails.
  treatValidationWarningsAsErrors: true,
  intentionallyNotExported: [
    "CONFIRMATIONS",
    "Names",
    "ReadOf",
    "engineReads",
    "extensions",
    "installationSchema",
    "settingsSchema",
  ],
};

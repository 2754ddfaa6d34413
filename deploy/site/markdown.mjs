import { relative } from "node:path";
import { renderMermaidSVG } from "beautiful-mermaid";
import { ROOT, START_PAGE, targetOf } from "./pages.mjs";

/** In the colours of the page, light or dark. */
const DRAWING = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  line: "var(--vp-c-text-3)",
  accent: "var(--vp-c-text-2)",
  muted: "var(--vp-c-text-2)",
  surface: "var(--vp-c-bg-soft)",
  border: "var(--vp-c-gutter-line)",
  transparent: true,
  padding: 4,
};

/** Links as the site needs them. What it does not have is text without a link. */
export function siteLinks(md, repository) {
  md.core.ruler.push("site-links", ({ env, tokens }) => {
    const page = pageOf(env);
    for (const token of tokens) if (token.children) token.children = linked(token.children, page, repository);
  });
}

/** The page of the repository that is rendered. */
function pageOf({ realPath, path }) {
  return relative(ROOT, realPath ?? path);
}

function linked(tokens, page, repository) {
  let dropped = false;
  return tokens.filter((token) => {
    if (token.type === "link_close") return !dropped;
    if (token.type !== "link_open") return true;
    const target = targetOf(page, token.attrGet("href"), repository);
    dropped = target === undefined;
    if (!dropped) token.attrSet("href", target);
    return !dropped;
  });
}

/** The start page leaves out what its cards say: its title, its first sentence and the table of readers, the first one of each kind. */
export function welcomed(md) {
  md.core.ruler.push("welcomed", ({ env, tokens }) => {
    if (pageOf(env) !== START_PAGE) return;
    for (const kind of ["heading", "paragraph", "table"]) {
      const from = tokens.findIndex(({ type }) => type === `${kind}_open`);
      const to = tokens.findIndex(({ type }) => type === `${kind}_close`);
      tokens.splice(from, to - from + 1);
    }
  });
}

/** Diagrams are drawn while the site is built. */
export function drawnDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    return info.trim() === "mermaid" ? diagram(content) : fence(tokens, index, ...rest);
  };
}

/** Indented code looks and scrolls as fenced code does: the theme has no style for it. */
export function indentedCode(md) {
  md.renderer.rules.code_block = (...given) => md.renderer.rules.fence(...given);
}

/** A line is highlighted whole, however long that takes: after half a second, which a busy machine needs, the rest had the colour of its beginning. */
export const untimedHighlighting = {
  preprocess(_code, options) {
    options.tokenizeTimeLimit = 0;
  },
};

/** A path breaks after a slash, so that a table with long ones fits the page; an option does not break behind its hyphens. */
export function breakableCode(md) {
  const { code_inline } = md.renderer.rules;
  md.renderer.rules.code_inline = (...given) =>
    code_inline(...given)
      .replace(/(?<=[>\s])--?\w[\w-]{0,24}(?![\w-])/g, '<span class="option">$&</span>')
      .replace(/(?<!<)\/(?=[\w{])/g, "/<wbr>");
}

function diagram(source) {
  // Its rule that loads a font from another server goes.
  const svg = renderMermaidSVG(source, DRAWING).replace(/@import url\([^)]*\);/g, "");
  // Vue takes style elements out of a template, but not out of HTML that is data.
  return `<figure class="diagram" tabindex="0" v-html="${escaped(JSON.stringify(svg))}"></figure>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Markdown pages of the project that people read, by their paths. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...markdownBelow("docs"),
  ...markdownBelow("examples"),
];

/** A page's text without its code blocks, line by line: headings, links and prose. */
export function proseOf(text: string): string[] {
  return text.replace(/^```[^\n]*\n.*?^```$/gms, "").split("\n");
}

function markdownBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .sort();
}

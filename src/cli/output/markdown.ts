import { escapeControlCharacters } from "../../core/records/record.ts";

/** What GitHub-flavoured Markdown acts on within a line: emphasis, code, links, HTML and its entities, formulas, the ends of cells. */
const ACTIVE = /[\\`*_~[<&$|]/g;

/** A text as Markdown that shows it, on one line. */
export function markdownText(text: string): string {
  return escapeControlCharacters(text.replaceAll(/[\r\n]+/g, " ")).replace(ACTIVE, "\\$&");
}

/** A table of GitHub-flavoured Markdown; its cells are Markdown already. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

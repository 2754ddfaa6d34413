import { readText } from "./bus-files.ts";

/** Marks the block of code below it: `<!-- snippet: FILE#region,region -->`, or the whole file without a region. */
const MARKED = /<!-- snippet: (\S+?)(?:#(\S+))? -->\n```(\w+)\n(.*?)^```$/gms;

/** Languages whose blocks are programs, which must come from a file. */
const PROGRAMS = /^```(?:ts|typescript|js|javascript|mjs|cjs|xml)$/gm;

/** A page with every marked block as its file has it. Throws for a region that its file does not have. */
export function withSnippets(page: string): string {
  return page.replace(MARKED, (_, file: string, regions: string | undefined, language: string) => {
    const marker = `<!-- snippet: ${file}${regions ? `#${regions}` : ""} -->`;
    return `${marker}\n\`\`\`${language}\n${codeOf(file, regions?.split(","))}\`\`\``;
  });
}

/** How many blocks of code of a page are programs, and how many of those come from a file. */
export function programsOf(page: string): { readonly all: number; readonly marked: number } {
  const marked = [...page.matchAll(MARKED)].filter(([, , , language]) => /^(?:[mc]?js|ts|xml)$/.test(language ?? ""));
  return { all: [...page.matchAll(PROGRAMS)].length, marked: marked.length };
}

function codeOf(file: string, regions: readonly string[] | undefined): string {
  const text = readText(file);
  if (!regions) return text;
  return regions.map((region) => regionOf(file, text, region)).join("\n");
}

/** The lines between `#region NAME` and `#endregion`, without their common indentation. */
function regionOf(file: string, text: string, region: string): string {
  const found = new RegExp(`^[^\\n]*#region ${region}(?: -->)?\\n(.*?)^[^\\n]*#endregion`, "ms").exec(text)?.[1];
  if (found === undefined) throw new Error(`${file} has no region "${region}"`);
  const lines = found.split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents);
  return `${lines
    .map((line) => line.slice(common))
    .join("\n")
    .trim()}\n`;
}

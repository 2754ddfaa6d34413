import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../package/build.ts";

/** The one block of code in this language that a document holds. */
export function blockOf(document: string, language: string, holding = ""): string {
  const text = readFileSync(join(ROOT, "docs", document), "utf8");
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block = ""]) => block,
  );
  const [block, ...others] = blocks.filter((candidate) => candidate.includes(holding));
  if (block === undefined || others.length > 0) throw new Error(`${document} has not one block of ${language}`);
  return block;
}

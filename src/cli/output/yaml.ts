import { Document, visit } from "yaml";
import { UNSAFE } from "../../core/values/basics.ts";

/** A value as YAML 1.2, a line for each scalar. Texts with characters that a terminal acts on are quoted, with escapes for them. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && isUnsafe(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 }).replace(UNSAFE, escaped);
}

function isUnsafe(text: string): boolean {
  return text.replaceAll("\n", "").search(UNSAFE) >= 0;
}

/** What YAML leaves as it is stands in quotes, but for the ends of lines. */
function escaped(character: string): string {
  if (character === "\n") return character;
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;
}

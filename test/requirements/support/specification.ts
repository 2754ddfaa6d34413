/** One sentence, list item or table row of the specification. */
export interface Statement {
  /** Text of the heading that it stands under. */
  readonly section: string;
  /** Its words, white space normalised. */
  readonly text: string;
}

type Kind = "blank" | "heading" | "rule" | "row" | "item" | "text";

function kindOf(line: string): Kind {
  if (line.trim() === "") return "blank";
  if (/^#{1,6}\s/.test(line)) return "heading";
  if (/^\|[\s:|-]+\|\s*$/.test(line)) return "rule";
  if (line.startsWith("|")) return "row";
  return /^\s*(?:[-*]|\d+\.)\s/.test(line) ? "item" : "text";
}

/** Splits a Markdown document into its statements, in order; headings and the headers of tables are none. */
export function statementsOf(markdown: string): Statement[] {
  const statements: Statement[] = [];
  const lines = markdown.split(/\r?\n/);
  let section = "";
  let prose = "";
  const flush = (): void => {
    for (const text of sentencesOf(normalised(prose))) statements.push({ section, text });
    prose = "";
  };
  for (const [index, line] of lines.entries()) {
    const kind = kindOf(line);
    if (kind === "text") {
      prose += ` ${line}`;
      continue;
    }
    flush();
    if (kind === "heading") section = normalised(line.replace(/^#+/, ""));
    else if (kind === "item") prose = line.replace(/^\s*(?:[-*]|\d+\.)\s+/, "");
    else if (kind === "row" && kindOf(lines[index + 1] ?? "") !== "rule") {
      statements.push({ section, text: normalised(line) });
    }
  }
  flush();
  return statements;
}

/** A text with single blanks between its words and none around it. */
function normalised(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs?|approx)\.$/i;

/** Splits prose behind `.`, `!` and `?`; those in code spans, abbreviations and numbers end no sentence. */
export function sentencesOf(prose: string): string[] {
  const masked = prose.replace(/`[^`]*`/g, (code) => "`".repeat(code.length));
  const sentences: string[] = [];
  let from = 0;
  for (const end of masked.matchAll(/[.!?]["')\]*]*(?= )/g)) {
    const to = end.index + end[0].length;
    if (ABBREVIATION.test(masked.slice(from, end.index + 1)) || /^ [a-z]/.test(masked.slice(to))) continue;
    sentences.push(prose.slice(from, to).trim());
    from = to;
  }
  const rest = prose.slice(from).trim();
  return rest === "" ? sentences : [...sentences, rest];
}

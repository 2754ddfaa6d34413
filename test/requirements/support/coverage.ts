import type { Statement } from "./specification.ts";

/** Something that quotes the specification: a requirement, or an entry of `untested.ts`. */
export interface Quoting {
  /** How messages name it. */
  readonly name: string;
  readonly section: string;
  readonly source: readonly string[];
}

/**
 * What is wrong between a specification and those who quote it. A quote has to lie within one statement of its section
 * and in no second one, and the quotes of a statement together have to hold every word of it: a claim that nobody
 * quotes stands out, however long the rest of its sentence is.
 */
export function coverageFaults(statements: readonly Statement[], quotings: readonly Quoting[]): string[] {
  const faults: string[] = [];
  const uncovered = new Map(statements.map((statement) => [statement, statement.text]));
  for (const { name, section, source } of quotings) {
    if (source.length === 0) faults.push(`${name}: quotes nothing`);
    for (const quote of source) {
      const [holder, ...others] = statements.filter((said) => said.section === section && find(said.text, quote) >= 0);
      if (!holder) faults.push(`${name}: "${section}" does not say: ${quote}`);
      else if (others.length > 0) faults.push(`${name}: more than one statement of "${section}" says: ${quote}`);
      else uncovered.set(holder, blanked(uncovered.get(holder) ?? "", holder.text, quote));
    }
  }
  return [...faults, ...unquoted(uncovered)];
}

function unquoted(uncovered: ReadonlyMap<Statement, string>): string[] {
  return [...uncovered].flatMap(([{ text }, rest]) => {
    const words = rest.match(WORD);
    return words ? [`not quoted: "${words.join(" ")}" of: ${text}`] : [];
  });
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Where a quote stands in a statement, word for word: it begins and ends between words. */
function find(text: string, quote: string): number {
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    const cutsWord = isWord(text[at - 1]) && isWord(quote[0]);
    const cutsLast = isWord(quote.at(-1)) && isWord(text[at + quote.length]);
    if (!cutsWord && !cutsLast) return at;
  }
  return -1;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** `rest` with blanks in the place where `quote` stands in `text`. */
function blanked(rest: string, text: string, quote: string): string {
  const at = find(text, quote);
  return rest.slice(0, at) + " ".repeat(quote.length) + rest.slice(at + quote.length);
}

/** Ids that the text of a test file cites. */
export function citedIds(source: string): string[] {
  return [...source.matchAll(/\bverifies\w*\(\s*"([^"]+)"/g)].map(([, id]) => id ?? "");
}

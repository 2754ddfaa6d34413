/** A phrase that the project does not use, what stands in its place, and what it does not concern. */
interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

const PHRASES: readonly Phrase[] = [
  {
    // "There is no such name" and "is no longer" are English.
    pattern: /(?<!here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|other\b|matter\b|use\b)[a-z]/i,
    instead: '"is not a ..."',
  },
  { pattern: /\bat once\b/i, instead: '"immediately", "concurrently" or "together"' },
  { pattern: /\bunder way\b/i, instead: '"in progress", "in flight" or "pending"' },
  { pattern: /\b(?:goes|go|going|went) on\b(?! a wire)/i, instead: '"continues"' },
  { pattern: /\bstrangers?\b/i, instead: '"an unauthenticated caller"' },
  { pattern: /\bdeeds?\b/i, instead: '"command"' },
  { pattern: /\bout of reach\b/i, instead: '"unreachable"' },
  { pattern: /\bin force\b/i, instead: '"active" or "effective"' },
  { pattern: /\bfor want of\b/i, instead: '"as there is no ..."' },
  {
    pattern: /\bwhat(?:ever)? (?:\w+ )?(?:comes?|came|becomes?|became) of (?!age\b)/i,
    instead: '"what happened to", "the outcome of" or "the result of"',
  },
  { pattern: /\bst(?:ands?|anding|ood) still\b/i, instead: '"hangs", "is paused" or "is frozen"' },
  { pattern: /\ban? [\w-]+ of (?:its|their|your|one's) own\b/i, instead: '"its own ..." or "a separate ..."' },
  { pattern: /\bof former times\b/i, instead: '"earlier ..."' },
  { pattern: /\b(?:is|are|was|were) not \w+ any more\b/i, instead: '"is no longer ..."' },
  { pattern: /\bshall\b/i, instead: '"should" or "must"' },
  { pattern: /\bis another(?: one)?[.,;]/i, instead: '"differs" or "has changed"' },
  { pattern: /\b(?:MOST|LEAST|LONGEST)_[A-Z]/, instead: '"MAX_..." or "MIN_..."' },
  { pattern: /\belse than\b/i, instead: '"other than"' },
  { pattern: /\btwo persons\b/i, instead: '"two people"' },
  {
    pattern:
      /\bgive the (?:halt|stop) again\b|\b(?:halts?|stops?)(?: that \w+(?: not)?)? given (?:through|at|here|elsewhere)\b/i,
    instead: '"halt again", "sent through"',
  },
  { pattern: /\bis (?:still )?sent it\b/i, instead: '"receives it"' },
  { pattern: /\bis that meant\b/i, instead: '"is that intended"' },
  {
    pattern: /\b(?:resumption|enabling|disabling|disconnection) of (?:trading|service|FIX session) \S/i,
    instead: "a verb",
  },
];

/** The first phrase of a text that the project does not use, with what stands in its place; undefined for plain English. */
export function foreignPhrase(text: string): string | undefined {
  for (const { pattern, instead } of PHRASES) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return `"${found}": write ${instead}`;
  }
  return undefined;
}

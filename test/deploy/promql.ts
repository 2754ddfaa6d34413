/** Name of one of our metrics with the labels it is selected by, as it stands in PromQL. */
export interface Selector {
  /** Can be queried as it is. */
  readonly text: string;
  readonly name: string;
}

const SELECTOR = /\b((?:trading_admin|process|nodejs)_\w+)(\{[^}]*\})?/g;
const TEXT = /"(?:[^"\\]|\\.)*"/g;
const RANGE = /\[[^\]]*\]/g;
const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;

/** Words of PromQL that the files use; anything else would be a metric that is not ours. */
const WORDS: ReadonlySet<string> = new Set([
  "abs",
  "absent",
  "by",
  "count",
  "histogram_quantile",
  "increase",
  "max",
  "max_over_time",
  "min",
  "min_over_time",
  "or",
  "quantile_over_time",
  "rate",
  "sum",
  "time",
]);

/** The selectors of an expression. Throws for a name that is neither a metric of ours nor a word of PromQL. */
export function selectorsOf(expression: string): Selector[] {
  const selectors = [...expression.matchAll(SELECTOR)].map(([text, name = ""]) => ({ text, name }));
  const rest = expression.replace(SELECTOR, "").replace(TEXT, "").replace(RANGE, "").replace(GROUPING, "by");
  for (const [word] of rest.matchAll(/[a-z_:]\w*/gi)) {
    if (!WORDS.has(word)) throw new Error(`"${word}" in ${expression} is not a metric of ours`);
  }
  return selectors;
}

/** Labels that an expression groups by. */
export function groupingOf(expression: string): string[] {
  return [...expression.matchAll(GROUPING)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim()),
  );
}

/** Labels that a text names as `{{ $labels.name }}` (alerts) or `{{name}}` (Grafana). */
export function labelsIn(text: string): string[] {
  return [...text.matchAll(/\$labels\.(\w+)|\{\{\s*(\w+)\s*\}\}/g)].map(([, alert, legend]) => alert ?? legend ?? "");
}

import { type AlertRule, alertRules } from "../deploy/monitoring-files.ts";

/** A metric as a scrape describes it. */
interface Metric {
  readonly type: string;
  readonly help: string;
  /** Undefined until a sample shows them. */
  readonly labels: ReadonlySet<string> | undefined;
}

/** Ends of the names of what a histogram consists of. */
const PART = /_(?:bucket|sum|count)$/;

/** The metrics of some scrapes, by name. */
export function metricsOf(pages: readonly string[]): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  for (const line of pages.flatMap((page) => page.split("\n"))) {
    const [, keyword, name = "", text = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP" && !metrics.has(name)) metrics.set(name, { type: "", help: text, labels: undefined });
    const metric = metrics.get(name);
    if (keyword === "TYPE" && metric) metrics.set(name, { ...metric, type: text });
    const [, sample = "", labels = ""] = /^([a-z]\w*)(?:\{(.*)\})? \S+$/i.exec(line) ?? [];
    const owner = metrics.has(sample) ? sample : sample.replace(PART, "");
    const known = metrics.get(owner);
    if (known) metrics.set(owner, { ...known, labels: new Set([...(known.labels ?? []), ...labelsIn(labels)]) });
  }
  return metrics;
}

function labelsIn(text: string): string[] {
  return [...text.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).filter((label) => label !== "le");
}

/** The table of metrics in `docs/operate/monitoring.md`. */
export function metricTable(pages: readonly string[]): string {
  const rows = [...metricsOf(pages)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { type, help, labels }]) => {
      const listed = [...(labels ?? [])].map((label) => `\`${label}\``).join(", ") || "none";
      return `| \`${name}\` | ${type} | ${listed} | ${help} |`;
    });
  return ["| Metric | Type | Labels | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The table of alerts in `docs/operate/monitoring.md`. */
export function alertTable(): string {
  const rows = alertRules().map(
    (rule) =>
      `| \`${rule.alert}\` | ${rule.labels.severity} | ${shownSummary(rule)}. ${rule.annotations.description} |`,
  );
  return ["| Alert | Severity | What it means, and what to do |", "| --- | --- | --- |", ...rows].join("\n");
}

const FORMATS: Readonly<Record<string, string>> = { humanizeDuration: "duration", humanizePercentage: "percentage" };

/** The first sentence of an alert, with the name of each label and `n` for the value, as an alert that fires has them filled in. */
export function shownSummary({ annotations: { summary = "" } }: AlertRule): string {
  return summary.replace(
    /\{\{ \$(?:labels\.(\w+)|value)(?: \| (\w+))? \}\}/g,
    (_all, label?: string, format = "") => `*${label ?? FORMATS[format] ?? "n"}*`,
  );
}

/** The document with the text between the two comments of a name replaced. Throws when it lacks them. */
export function withSection(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: generated, see test/docs/monitoring.test.ts -->`, `<!-- end of ${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the document has no section "${name}"`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}

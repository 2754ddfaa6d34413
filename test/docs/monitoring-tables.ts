import { alertRules } from "../deploy/monitoring-files.ts";

/** A metric as a scrape describes it. */
interface Metric {
  readonly type: string;
  readonly help: string;
  readonly labels: Set<string>;
}

/** Ends of the names of what a histogram consists of. */
const PART = /_(?:bucket|sum|count)$/;

/** The metrics of some scrapes, by name. */
export function metricsOf(pages: readonly string[]): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  for (const line of pages.flatMap((page) => page.split("\n"))) {
    const [, keyword, name = "", text = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP" && !metrics.has(name)) metrics.set(name, { type: "", help: text, labels: new Set() });
    const metric = metrics.get(name);
    if (keyword === "TYPE" && metric) metrics.set(name, { ...metric, type: text });
    const [, sample = "", labels = ""] = /^([a-z]\w*)\{(.*)\}/i.exec(line) ?? [];
    const owner = metrics.get(sample) ?? metrics.get(sample.replace(PART, ""));
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) if (label !== "le") owner?.labels.add(label);
  }
  return metrics;
}

/** The table of metrics in `docs/operate/monitoring.md`. */
export function metricTable(pages: readonly string[]): string {
  const rows = [...metricsOf(pages)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { type, help, labels }]) => {
      const listed = [...labels].map((label) => `\`${label}\``).join(", ") || "none";
      return `| \`${name}\` | ${type} | ${listed} | ${help} |`;
    });
  return ["| Metric | Type | Labels | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The table of alerts in `docs/operate/monitoring.md`. */
export function alertTable(): string {
  const rows = alertRules().map(
    ({ alert, labels, annotations }) => `| \`${alert}\` | ${labels.severity} | ${annotations.description} |`,
  );
  return ["| Alert | Severity | What it means, and what to do |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The document with the text between the two comments of a name replaced. Throws when it lacks them. */
export function withSection(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: generated, see test/docs/monitoring.test.ts -->`, `<!-- end of ${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the document has no section "${name}"`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}

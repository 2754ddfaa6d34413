import { stripVTControlCharacters, styleText } from "node:util";
import { escapeControlCharacters } from "../../core/records/record.ts";
import type { ConformanceCase } from "../../testing/conformance/kits.ts";
import { hasColour } from "../output/format.ts";

export type CaseVerdict = { readonly name: string; readonly durationMs: number } & (
  | { readonly result: "passed" }
  | { readonly result: "not-applicable"; readonly reason: string }
  | { readonly result: "failed"; readonly message: string }
);

/** Characters of what an engine's replies make of a message: a report has hundreds of cases. */
const MAX_TEXT = 2_000;

function bounded(text: string): string {
  const more = text.length - MAX_TEXT;
  return more > 0 ? `${text.slice(0, MAX_TEXT)} ... and ${more} more characters` : text;
}

export async function verdictOf({ name, run }: ConformanceCase): Promise<CaseVerdict> {
  const started = performance.now();
  const took = () => ({ name, durationMs: Math.round(performance.now() - started) });
  try {
    const reason = await run();
    return reason === undefined
      ? { result: "passed", ...took() }
      : { result: "not-applicable", reason: bounded(reason), ...took() };
  } catch (error) {
    // A comparison that fails is coloured on terminals that have colours.
    const message = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
    return { result: "failed", message: bounded(message), ...took() };
  }
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  /** How often each reason was given for what is not applicable, the most frequent first. */
  readonly reasons: Readonly<Record<string, number>>;
}

export function countsOf(verdicts: readonly CaseVerdict[]): Counts {
  const count = (result: CaseVerdict["result"]): number => verdicts.filter((one) => one.result === result).length;
  const reasons = new Map<string, number>();
  for (const one of verdicts) {
    if (one.result === "not-applicable") reasons.set(one.reason, (reasons.get(one.reason) ?? 0) + 1);
  }
  const sorted = [...reasons].toSorted(([, a], [, b]) => b - a);
  return {
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("not-applicable"),
    reasons: Object.fromEntries(sorted),
  };
}

const WORDS = { passed: "passed", "not-applicable": "n/a", failed: "FAILED" } as const;
const STYLES = { passed: "green", "not-applicable": "gray", failed: "red" } as const;

const WIDTH = 8;

/** The lines of a case: its result and its name, below why it is not applicable or what was found. What engines say must not steer a terminal. */
export function verdictText(verdict: CaseVerdict): string {
  const { name, result } = verdict;
  const word = WORDS[result].padEnd(WIDTH);
  const details = verdict.result === "failed" ? verdict.message.split("\n").filter((line) => line !== "") : [];
  const reason = verdict.result === "not-applicable" ? ` (${verdict.reason})` : "";
  const first = `${hasColour() ? styleText(STYLES[result], word) : word}${escapeControlCharacters(`${name}${reason}`)}`;
  return [first, ...details.map((line) => `${" ".repeat(WIDTH)}${escapeControlCharacters(line)}`), ""].join("\n");
}

/** `41 passed, 2 failed, 17 not applicable: no algorithm (3), no adjustPosition (14)`. */
export function summaryOf({ passed, failed, notApplicable, reasons }: Counts): string {
  const why = Object.entries(reasons).map(([reason, count]) => `${reason} (${count})`);
  const parts = [`${passed} passed`, `${failed} failed`, `${notApplicable} not applicable`];
  return escapeControlCharacters([parts.join(", "), ...(why.length > 0 ? [why.join(", ")] : [])].join(": "));
}

const SUITES = "trading-admin conformance";

/** Verdicts as the XML that test reports are read from: a suite for each subject, the words before the colon of a name. */
export function junitText(verdicts: readonly CaseVerdict[], engine: string, at: Date): string {
  const subjects = [...new Set(verdicts.map(subjectOf))];
  const suites = subjects.map((subject) => {
    const cases = verdicts.filter((verdict) => subjectOf(verdict) === subject);
    return suiteText(subject, cases, engine, at);
  });
  const attributes = attributesOf({ name: SUITES, ...numbersOf(verdicts) });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes}>\n${suites.join("")}</testsuites>\n`;
}

function subjectOf({ name }: CaseVerdict): string {
  return name.split(": ", 1)[0] ?? "";
}

function suiteText(subject: string, cases: readonly CaseVerdict[], engine: string, at: Date): string {
  const timestamp = at.toISOString().replace(/\.\d+Z$/, "");
  const attributes = attributesOf({ name: subject, ...numbersOf(cases), timestamp, hostname: engine });
  return `  <testsuite${attributes}>\n${cases.map((one) => caseText(subject, one)).join("")}  </testsuite>\n`;
}

function caseText(subject: string, verdict: CaseVerdict): string {
  const attributes = attributesOf({
    name: verdict.name.slice(subject.length).replace(/^: /, ""),
    classname: subject,
    time: seconds(verdict.durationMs),
  });
  switch (verdict.result) {
    case "passed":
      return `    <testcase${attributes}/>\n`;
    case "not-applicable": {
      const skipped = attributesOf({ message: verdict.reason });
      return `    <testcase${attributes}>\n      <skipped${skipped}/>\n    </testcase>\n`;
    }
    case "failed": {
      const [message = ""] = verdict.message.split("\n", 1);
      const failure = attributesOf({ message, type: "failed" });
      return `    <testcase${attributes}>\n      <failure${failure}>${escaped(verdict.message)}</failure>\n    </testcase>\n`;
    }
  }
}

function numbersOf(cases: readonly CaseVerdict[]): Readonly<Record<string, string>> {
  const { failed, notApplicable }: Counts = countsOf(cases);
  const time = seconds(cases.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return {
    tests: String(cases.length),
    failures: String(failed),
    errors: "0",
    skipped: String(notApplicable),
    time,
  };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function attributesOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join("");
}

const MARKUP: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML 1.0 cannot hold, not even as references: controls, lone surrogates, two that are none. */
const FORBIDDEN = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A text within XML. What cannot stand there is written as in JSON. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => MARKUP[character] ?? "")
    .replace(FORBIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

import { styleText } from "node:util";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { hasColour } from "../output/format.ts";
import type { CaseVerdict, Counts } from "./verdict.ts";

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

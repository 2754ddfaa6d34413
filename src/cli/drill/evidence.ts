import { givenReason } from "../../core/conventions.ts";
import type { Output } from "../../core/operations/table.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { packageVersion } from "../../files/package-files.ts";
import type { Connection } from "../connection/connect.ts";
import { type CommandResult, shownOutcome } from "../operations/describe-command.ts";
import { printError } from "../terminal/messages.ts";

export type Status = Output<"getTradingStatus">;

/** Evidence of a drill: who halted and resumed what, and when it was requested, accepted and confirmed. */
export interface Evidence {
  readonly drill: "halt and resume of trading";
  /** Not finished: the resume waits for a second person. */
  readonly result: "passed" | "failed" | "not finished";
  readonly installation: string;
  readonly address: string;
  /** User of HTTP Basic; null with a token, which only the gateway can read for certain. */
  readonly user: string | null;
  readonly projectionPath: string;
  readonly reason: string;
  readonly version: string;
  readonly before: Status;
  readonly steps: readonly CommandResult[];
  /** The last state read; null when none could be. */
  readonly after: Status | null;
}

/** The evidence as a page for a file of evidence, GitHub-flavoured Markdown. */
export function markdownOf(evidence: Evidence): string {
  const { result, installation, address, user, projectionPath, reason, version, before, steps, after } = evidence;
  const facts: readonly [what: string, value: string][] = [
    ["Installation", `${installation} (${address})`],
    ["User", user ?? "that of the token"],
    ...steps.flatMap(({ approvedBy }): [string, string][] =>
      approvedBy === undefined ? [] : [["Second person", approvedBy]],
    ),
    ["Node", projectionPath === "" ? "system-wide" : projectionPath],
    ["Reason", reason],
    ["Before", statusText(before)],
    ["After", after === null ? "could not be read" : statusText(after)],
    ["Command line", `trading-admin ${version}`],
  ];
  const head = [
    "Step",
    "Outcome",
    "Requested",
    "Accepted",
    "Confirmed",
    "Accepted after",
    "Confirmed after",
    "Request id",
  ];
  return [
    "# Drill: halt and resume of trading\n",
    markdownTable(
      ["What", "Value"],
      [
        ["Result", `**${result}**${after?.halted ? ", **trading is still halted**" : ""}`],
        ...facts.map(([what, value]) => [what, markdownText(value)]),
      ],
    ),
    "## Steps\n",
    markdownTable(
      head,
      steps.map((step) => stepCells(step).map(markdownText)),
    ),
    `${steps.map(({ message }) => `- ${markdownText(message)}`).join("\n")}\n`,
  ].join("\n");
}

function stepCells(step: CommandResult): string[] {
  const { operation, askedAt, acceptedAt, seenAt, requestId } = step;
  const times = [askedAt, acceptedAt, seenAt].map((time) => time ?? "-");
  return [
    operation,
    shownOutcome(step),
    ...times,
    after(askedAt, acceptedAt),
    after(askedAt, seenAt),
    requestId ?? "-",
  ];
}

function after(from: string | null, to: string | null): string {
  return from === null || to === null ? "-" : `${Date.parse(to) - Date.parse(from)} ms`;
}

function statusText({ halted, reason }: Status): string {
  const given = givenReason(reason);
  return `${halted ? "halted" : "not halted"}${given === null ? "" : ` (${given})`}`;
}

type Known = Pick<Evidence, "projectionPath" | "reason" | "before" | "steps">;

/** Reads the state once more, and puts together what is known. */
export async function evidenceOf({ client, settings, address, name }: Connection, known: Known): Promise<Evidence> {
  const after = await client.getTradingStatus({ projectionPath: known.projectionPath }).catch((error: unknown) => {
    printError(`the state after the drill could not be read: ${(error as Error).message}`);
    return null;
  });
  const passed =
    known.steps.length === 2 && known.steps.every(({ outcome }) => outcome === "done") && after?.halted === false;
  const waits = known.steps.at(-1)?.awaitedUntil !== undefined;
  return {
    drill: "halt and resume of trading",
    result: passed ? "passed" : waits ? "not finished" : "failed",
    installation: name,
    address: address.origin,
    user: settings.credentials.user ?? null,
    version: packageVersion(),
    ...known,
    after,
  };
}

/** What GitHub-flavoured Markdown acts on within a line: emphasis, code, links, HTML and its entities, formulas, the ends of cells. */
const ACTIVE = /[\\`*_~[<&$|]/g;

/** A text as Markdown that shows it, on one line. */
function markdownText(text: string): string {
  return escapeControlCharacters(text.replaceAll(/[\r\n]+/g, " ")).replace(ACTIVE, "\\$&");
}

/** A table of GitHub-flavoured Markdown; its cells are Markdown already. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

import type { Output } from "../core/operations/table.ts";
import { packageVersion } from "../files/package-files.ts";
import type { Invocation, Run } from "./command/definition.ts";
import { type Connection, connect } from "./connection/connect.ts";
import { waitOf } from "./duration.ts";
import { EXIT, EXIT_OF_OUTCOME } from "./exit-codes.ts";
import { command } from "./operations/command.ts";
import { askToConfirm } from "./operations/confirm-change.ts";
import { type CommandResult, placeOf } from "./operations/deed.ts";
import { jsonText, write } from "./output/print.ts";
import { complain, say } from "./terminal/say.ts";

/** `drill`: halts a node, proves it, resumes it, proves that, and prints the evidence. */
export const run: Run = async ({ arguments: { path = "" }, options }) => {
  const projectionPath = String(path);
  const connection = await connect(options);
  const before = await connection.client.getTradingStatus({ projectionPath });
  if (before.halted) {
    complain(
      `nothing was sent: trading is halted ${placeOf(projectionPath)} (${before.reason}); a drill would resume it`,
    );
    return EXIT.notSent;
  }
  say(
    `Drill ${placeOf(projectionPath)} in ${connection.name}: orders there are refused from the halt to the resumption.`,
  );
  await askToConfirm(connection, options, `Halt trading ${placeOf(projectionPath)}, prove it, resume it, prove that?`);
  const reason = options.reason?.toString() ?? "Drill";
  const steps = await stepsOf(connection, { projectionPath, reason }, options);
  const evidence = await evidenceOf(connection, { projectionPath, reason, before, steps });
  write(options.output === "json" ? jsonText(evidence) : markdownOf(evidence));
  return codeOf(evidence);
};

/** The resumption is sent only when the halt was seen: what is in doubt stays as it is until a person has looked. */
async function stepsOf(
  connection: Connection,
  input: { readonly projectionPath: string; readonly reason: string },
  options: Invocation["options"],
): Promise<CommandResult[]> {
  const wait = waitOf(options, "prove");
  const interrupted = (): never => {
    complain(
      `interrupted: trading may be halted ${placeOf(input.projectionPath)}; look with trading-admin trading status`,
    );
    process.exit(EXIT.unknown);
  };
  process.once("SIGINT", interrupted);
  try {
    const halt = await command(connection, { operation: "haltTrading", input, wait });
    if (halt.outcome !== "done") return [halt];
    say(halt.message);
    const resume = await command(connection, { operation: "resumeTrading", input, wait });
    say(resume.message);
    return [halt, resume];
  } finally {
    process.off("SIGINT", interrupted);
  }
}

type Known = Pick<Evidence, "projectionPath" | "reason" | "before" | "steps">;

async function evidenceOf({ client, settings, address, name }: Connection, known: Known): Promise<Evidence> {
  const after = await client.getTradingStatus({ projectionPath: known.projectionPath }).catch((error: unknown) => {
    complain(`the state after the drill could not be read: ${(error as Error).message}`);
    return null;
  });
  const passed =
    known.steps.length === 2 && known.steps.every(({ outcome }) => outcome === "done") && after?.halted === false;
  return {
    drill: "halt and resume of trading",
    result: passed ? "passed" : "failed",
    installation: name,
    address: address.origin,
    user: settings.credentials.user ?? null,
    version: packageVersion(),
    ...known,
    after,
  };
}

function codeOf({ steps, result, projectionPath }: Evidence): number {
  const failed = steps.find(({ outcome }) => outcome !== "done");
  if (!failed) return result === "passed" ? EXIT.done : EXIT.failed;
  complain(failed.message);
  const isHalted =
    failed.operation === "resumeTrading" || failed.outcome === "not-proven" || failed.outcome === "unknown";
  if (isHalted) complain(`trading may be halted ${placeOf(projectionPath)}: read the state, then resume it`);
  return EXIT_OF_OUTCOME[failed.outcome];
}

type Status = Output<"getTradingStatus">;

/** What a drill proves: who halted and resumed what, when it was asked for, accepted, and seen. */
interface Evidence {
  readonly drill: "halt and resume of trading";
  readonly result: "passed" | "failed";
  readonly installation: string;
  readonly address: string;
  /** User of HTTP Basic; null with a token, which only the gateway can read for certain. */
  readonly user: string | null;
  readonly projectionPath: string;
  readonly reason: string;
  readonly version: string;
  readonly before: Status;
  readonly steps: readonly CommandResult[];
  /** What was read last; null when nothing could be read. */
  readonly after: Status | null;
}

/** The evidence as a page for a file of evidence, GitHub-flavoured Markdown. */
function markdownOf(evidence: Evidence): string {
  const { result, installation, address, user, projectionPath, reason, version, before, steps, after } = evidence;
  const facts = [
    ["Result", `**${result}**`],
    ["Installation", `${installation} (${address})`],
    ["User", user ?? "that of the token"],
    ["Node", projectionPath === "" ? "system-wide" : projectionPath],
    ["Reason", reason],
    ["Before", statusText(before)],
    ["After", after === null ? "could not be read" : statusText(after)],
    ["Command line", `trading-admin ${version}`],
  ];
  const head = ["Step", "Outcome", "Asked", "Accepted", "Seen", "Accepted after", "Seen after", "Request id"];
  return [
    "# Drill: halt and resume of trading\n",
    tableOf(["What", "Value"], facts),
    "## Steps\n",
    tableOf(head, steps.map(stepCells)),
    `${steps.map(({ message }) => `- ${escaped(message)}`).join("\n")}\n`,
  ].join("\n");
}

function stepCells({ operation, outcome, askedAt, acceptedAt, seenAt, requestId }: CommandResult): string[] {
  const times = [askedAt, acceptedAt, seenAt].map((time) => time ?? "-");
  return [operation, outcome, ...times, after(askedAt, acceptedAt), after(askedAt, seenAt), requestId ?? "-"];
}

function after(from: string | null, to: string | null): string {
  return from === null || to === null ? "-" : `${Date.parse(to) - Date.parse(from)} ms`;
}

function statusText({ halted, reason }: Status): string {
  return `${halted ? "halted" : "not halted"}${reason === null ? "" : ` (${reason})`}`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows.map((cells) => cells.map(escaped))];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/[\r\n]+/g, " ");
}

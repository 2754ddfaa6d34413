import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { placeOf } from "../../core/operations/command-words.ts";
import { WAITS_FOR_SECOND } from "../../core/records/second-person.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { type Wait, waitOf } from "../duration.ts";
import { EXIT, EXIT_OF_OUTCOME } from "../exit-codes.ts";
import type { Invocation, Run } from "../framework/definition.ts";
import { adviseSecondPerson } from "../operations/advice.ts";
import { askToConfirm } from "../operations/confirm-change.ts";
import type { Command, CommandResult } from "../operations/describe-command.ts";
import { warnOfWildcards } from "../operations/path.ts";
import { deniedBeforeAsking } from "../operations/permission.ts";
import { sendCommand } from "../operations/send-command.ts";
import { jsonText } from "../output/format.ts";
import { printError, printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { type Evidence, evidenceOf, markdownOf, type Status } from "./evidence.ts";

/** `drill`: halts a node, proves it, resumes it, proves that, and prints the evidence. What it halted it resumes, whatever happens. */
export const run: Run = async ({ arguments: { path = "" }, options, table }) => {
  const projectionPath = String(path);
  warnOfWildcards({ projectionPath });
  const connection = await connect(options);
  const halt: Command = { operation: "haltTrading", input: { projectionPath } };
  const [denied] = await deniedBeforeAsking(connection, [halt], options);
  if (denied) {
    printError(denied.message);
    return EXIT_OF_OUTCOME[denied.outcome];
  }
  const before = await connection.client.getTradingStatus({ projectionPath });
  if (before.halted) {
    printError(
      `nothing was sent: trading is halted ${placeOf(projectionPath)} (${before.reason}); a drill would resume it`,
    );
    return EXIT.notSent;
  }
  printInfo(
    `Drill ${placeOf(projectionPath)} in ${connection.name}: orders there are refused from the halt to the resumption.`,
  );
  await askToConfirm(connection, options, `Halt trading ${placeOf(projectionPath)}, prove it, resume it, prove that?`);
  // A reason that nobody else has: by it the drill knows its halt from another one.
  const reason = `${options.reason?.toString() ?? "Drill"} ${randomBytes(3).toString("hex")}`;
  const { steps, left, interruptedBy } = await drilled(connection, { projectionPath, reason }, before, options);
  const evidence = await evidenceOf(connection, { projectionPath, reason, before, steps });
  write(options.output === "json" ? jsonText(evidence) : markdownOf(evidence));
  if (left === undefined) return codeOf(evidence, interruptedBy);
  const waits = left.includes(WAITS_FOR_SECOND);
  const [doubt, next] = waits ? ["", ""] : [", or may be", "; read the state, then resume it"];
  printError(`TRADING IS STILL HALTED ${placeOf(projectionPath)}${doubt}: ${left}${next}`);
  if (waits) adviseSecondPerson(table, steps);
  return EXIT.leftHalted;
};

async function drilled(
  connection: Connection,
  input: { readonly projectionPath: string; readonly reason: string },
  before: Status,
  options: Invocation["options"],
): Promise<Ending & { readonly interruptedBy: NodeJS.Signals | undefined }> {
  const wait = waitOf(options, "prove");
  const signals = new HeldSignals();
  try {
    const known = { before, signal: UNINTERRUPTED };
    const halt = await sendCommand(connection, { operation: "haltTrading", input, wait, ...known });
    printInfo(halt.message);
    if (!["done", "not-proven", "unknown"].includes(halt.outcome))
      return { steps: [halt], interruptedBy: signals.first };
    const { steps, ...ending } = await resumption(connection, { ...input, mayCome: halt.outcome === "unknown" }, wait);
    return { steps: [halt, ...steps], ...ending, interruptedBy: signals.first };
  } finally {
    signals.letGo();
  }
}

/** Signals that would end the process in the middle; the first is remembered. */
class HeldSignals {
  first: NodeJS.Signals | undefined;
  readonly #note = (signal: NodeJS.Signals): void => {
    this.first ??= signal;
    printError(`${signal}: the drill ends when trading is resumed`);
  };

  constructor() {
    for (const signal of HELD) process.on(signal, this.#note);
  }

  letGo(): void {
    for (const signal of HELD) process.off(signal, this.#note);
  }
}

const HELD = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function codeOf({ steps, result }: Evidence, interruptedBy: NodeJS.Signals | undefined): number {
  const failed = steps.find(({ outcome }) => outcome !== "done");
  if (failed) {
    printError(failed.message);
    return EXIT_OF_OUTCOME[failed.outcome];
  }
  return result === "passed" && interruptedBy === undefined ? EXIT.done : EXIT.failed;
}

/** How long a gateway that does not answer is asked again, and how often. */
const PATIENCE_MS = 30_000;
const INTERVAL_MS = 1_000;

/** How a drill ended. `left` says why trading may still be halted; absent when the engine shows that it is not. */
interface Ending {
  readonly steps: readonly CommandResult[];
  readonly left?: string;
}

/** The halt that a drill began. */
interface Halted {
  readonly projectionPath: string;
  readonly reason: string;
  /** Nobody knows whether it was applied: it may still come. */
  readonly mayCome: boolean;
}

/** Commands of a drill ignore signals: the drill ends by itself. */
const UNINTERRUPTED: AbortSignal = new AbortController().signal;

/**
 * Ends what a drill began: resumes the node where the engine shows the halt of the drill, whatever happened in between, and asks again for
 * a while where nobody answers. A halt of somebody else stays.
 */
async function resumption(connection: Connection, halted: Halted, wait: Wait): Promise<Ending> {
  const steps: CommandResult[] = [];
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const attempt = await tried(connection, halted, wait);
    if (attempt.step) steps.push(attempt.step);
    const isOver = Date.now() >= until;
    if (attempt.left === undefined && (isOver || !halted.mayCome || attempt.step)) return { steps };
    if (attempt.left !== undefined && (isOver || attempt.isFinal)) return { steps, left: attempt.left };
    await pause(INTERVAL_MS);
  }
}

/** One attempt to resume: `left` says why trading may still be halted, `isFinal` that another attempt would not change it. */
interface Attempt {
  readonly step?: CommandResult;
  readonly left?: string;
  readonly isFinal?: boolean;
}

async function tried(connection: Connection, { projectionPath, reason }: Halted, wait: Wait): Promise<Attempt> {
  const state = await statusOf(connection, projectionPath);
  if (typeof state === "string") return { left: state };
  if (!state.halted) return {};
  if (state.reason !== reason) return { left: `somebody else halted it meanwhile (${state.reason})`, isFinal: true };
  const input = { projectionPath, reason };
  const known = { before: state, signal: UNINTERRUPTED };
  const step = await sendCommand(connection, { operation: "resumeTrading", input, wait, ...known });
  printInfo(step.message);
  if (step.outcome === "done") return { step };
  const isFinal = step.outcome === "denied" || step.outcome === "rejected";
  // What was not sent is not a step of the drill unless it is the last.
  return { ...(step.outcome !== "not-sent" && { step }), left: step.message, isFinal };
}

/** The state of the node, or why it cannot be read. */
async function statusOf({ polling }: Connection, projectionPath: string): Promise<Status | string> {
  try {
    return await polling.getTradingStatus({ projectionPath });
  } catch (error) {
    return (error as Error).message;
  }
}

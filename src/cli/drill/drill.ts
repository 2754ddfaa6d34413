import { randomBytes } from "node:crypto";
import { placeOf } from "../../core/operations/command-words.ts";
import { timeOf } from "../../core/stops/words.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { EXIT, EXIT_OF_OUTCOME } from "../exit-codes.ts";
import type { Invocation, Run } from "../framework/definition.ts";
import { adviseSecondPerson } from "../operations/advice.ts";
import { askToConfirm } from "../operations/confirm-change.ts";
import type { Command } from "../operations/describe-command.ts";
import { warnOfWildcards } from "../operations/path.ts";
import { deniedBeforeAsking } from "../operations/permission.ts";
import { sendCommand } from "../operations/send-command.ts";
import { jsonText } from "../output/format.ts";
import { printError, printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { type Evidence, evidenceOf, markdownOf, type Status } from "./evidence.ts";
import { type Ending, type Halted, resumption, UNINTERRUPTED } from "./resumption.ts";
import { awaitedResume, secondPerson } from "./second-person.ts";

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
  const { steps, left, interruptedBy } = await drilled(connection, { projectionPath, reason }, before, {
    options,
    table,
  });
  const evidence = await evidenceOf(connection, { projectionPath, reason, before, steps });
  write(options.output === "json" ? jsonText(evidence) : markdownOf(evidence));
  if (left === undefined) return codeOf(evidence, interruptedBy);
  const isAwaited = left === awaitedResume(steps)?.asked.message;
  const [doubt, next] = isAwaited ? ["", ""] : [", or may be", "; read the state, then resume it"];
  printError(`TRADING IS STILL HALTED ${placeOf(projectionPath)}${doubt}: ${left}${next}`);
  if (isAwaited) adviseSecondPerson(table, steps);
  return EXIT.leftHalted;
};

async function drilled(
  connection: Connection,
  input: { readonly projectionPath: string; readonly reason: string },
  before: Status,
  { options, table }: Pick<Invocation, "options" | "table">,
): Promise<Ending & { readonly interruptedBy: NodeJS.Signals | undefined }> {
  const wait = waitOf(options, "prove");
  const signals = new HeldSignals();
  try {
    const known = { before, signal: UNINTERRUPTED };
    const halt = await sendCommand(connection, { operation: "haltTrading", input, wait, ...known });
    printInfo(halt.message);
    if (!["done", "not-proven", "unknown"].includes(halt.outcome))
      return { steps: [halt], interruptedBy: signals.first };
    const halted: Halted = { ...input, mayCome: halt.outcome === "unknown" };
    const { steps, ...ending } = await resumption(connection, halted, wait);
    const awaited = awaitedResume(steps);
    if (!awaited) return { steps: [halt, ...steps], ...ending, interruptedBy: signals.first };
    adviseSecondPerson(table, steps);
    const until = timeOf(awaited.until, Date.now());
    printInfo(`the drill waits for that until ${until} UTC; Ctrl-C ends it, and trading stays halted`);
    signals.meaning = "the drill ends, and trading stays halted";
    const last = await secondPerson(connection, halted, awaited, () => signals.first !== undefined);
    return { ...last, steps: [halt, ...last.steps], interruptedBy: signals.first };
  } finally {
    signals.letGo();
  }
}

/** Signals that would end the process in the middle; the first is remembered. */
class HeldSignals {
  first: NodeJS.Signals | undefined;
  /** What a signal leads to. */
  meaning = "the drill ends when trading is resumed";
  readonly #note = (signal: NodeJS.Signals): void => {
    this.first ??= signal;
    printError(`${signal}: ${this.meaning}`);
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
  if (failed) printError(failed.message);
  printInfo(`the drill ${result}`);
  if (failed) return EXIT_OF_OUTCOME[failed.outcome];
  return result === "passed" && interruptedBy === undefined ? EXIT.done : EXIT.failed;
}

import { placeOf } from "../../core/operations/command-words.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { EXIT, EXIT_OF_OUTCOME } from "../exit-codes.ts";
import type { Invocation, Run } from "../framework/definition.ts";
import { askToConfirm } from "../operations/confirm-change.ts";
import type { CommandResult } from "../operations/describe-command.ts";
import { warnOfWildcards } from "../operations/path.ts";
import { sendCommand } from "../operations/send-command.ts";
import { jsonText } from "../output/format.ts";
import { printError, printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { type Evidence, evidenceOf, markdownOf, type Status } from "./evidence.ts";
import { type Ending, resumption, UNINTERRUPTED } from "./resumption.ts";

/** `drill`: halts a node, proves it, resumes it, proves that, and prints the evidence. What it halted it resumes, whatever happens. */
export const run: Run = async ({ arguments: { path = "" }, options }) => {
  const projectionPath = String(path);
  warnOfWildcards({ projectionPath });
  const connection = await connect(options);
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
  const reason = options.reason?.toString() ?? "Drill";
  const { steps, left, interruptedBy } = await drilled(connection, { projectionPath, reason }, before, options);
  const evidence = await evidenceOf(connection, { projectionPath, reason, before, steps });
  write(options.output === "json" ? jsonText(evidence) : markdownOf(evidence));
  const code = codeOf(evidence, interruptedBy);
  if (left === undefined) return code;
  printError(`TRADING IS STILL HALTED ${placeOf(projectionPath)}, or may be: ${left}; read the state, then resume it`);
  return EXIT.leftHalted;
};

/** Steps of a drill, and the signal that came meanwhile. */
interface Drilled extends Ending {
  readonly interruptedBy: NodeJS.Signals | undefined;
}

async function drilled(
  connection: Connection,
  input: { readonly projectionPath: string; readonly reason: string },
  before: Status,
  options: Invocation["options"],
): Promise<Drilled> {
  const wait = waitOf(options, "prove");
  const signals = new HeldSignals();
  try {
    const halt = await sendCommand(connection, {
      operation: "haltTrading",
      input,
      wait,
      before,
      signal: UNINTERRUPTED,
    });
    printInfo(halt.message);
    if (!mayHaveHalted(halt)) return { steps: [halt], interruptedBy: signals.first };
    const { steps, ...ending } = await resumption(connection, { ...input, mayCome: halt.outcome === "unknown" }, wait);
    return { steps: [halt, ...steps], ...ending, interruptedBy: signals.first };
  } finally {
    signals.letGo();
  }
}

function mayHaveHalted({ outcome }: CommandResult): boolean {
  return outcome === "done" || outcome === "not-proven" || outcome === "unknown";
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

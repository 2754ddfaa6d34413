import type { AdminClient } from "../../client/client.ts";
import { NotConfirmedError } from "../../client/confirmation.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Connection } from "../connection/connect.ts";
import type { Wait } from "../duration.ts";
import { outcomeOf } from "../exit-codes.ts";
import { warn } from "../terminal/say.ts";
import { type CommandResult, deedOf, failureWords } from "./deed.ts";
import type { OperationInput } from "./input.ts";
import { commandResult, isoTime } from "./result.ts";
import { type Accepted, needsStateBefore, send, showsItsWork } from "./state.ts";

/** A command and how long its effect is waited for. */
interface CommandToSend {
  readonly operation: OperationName;
  readonly input: OperationInput;
  readonly wait: Wait;
  /** State before it, where it was read. */
  readonly before?: unknown;
  /** The same where nobody waits for it: looked at when the response is lost. */
  readonly reading?: Promise<unknown> | undefined;
  /** Ends the waiting, in place of Ctrl-C. */
  readonly signal?: AbortSignal;
}

interface SentCommand extends CommandToSend {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/**
 * Sends a command once, and looks at what came of it. Never repeats it. Ctrl-C ends the waiting, and the result says what is
 * known by then: it does not take the command back.
 */
export async function command(connection: Connection, asked: CommandToSend): Promise<CommandResult> {
  if (asked.signal) return sentAndSeen(connection, { ...asked, signal: asked.signal });
  const { signal, end } = interruption();
  try {
    return await sentAndSeen(connection, { ...asked, signal });
  } finally {
    end();
  }
}

async function sentAndSeen({ client, polling }: Connection, sent: SentCommand): Promise<CommandResult> {
  const { operation, input, wait, signal } = sent;
  const askedAt = Date.now();
  let accepted: Accepted;
  try {
    accepted = await send(client, operation, input, signal);
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    if (error.outcome === "applied") return appliedThough(polling, sent, error, askedAt);
    const found = outcomeOf(error);
    // A command has no failure of another kind: the client says whether it was applied, or that this is unknown.
    const outcome = found === "failed" ? "unknown" : found;
    const known = { requestId: error.requestId, askedAt: isoTime(askedAt) };
    const refused = commandResult(operation, input, outcome, failureWords(operation, error), known);
    const isOpen = refused.outcome === "unknown" && wait.kind === "prove" && !signal.aborted;
    return isOpen ? resolved(polling, sent, refused) : withHint(client, sent, refused, error);
  }
  return afterwards(polling, sent, accepted);
}

/** A command that was applied although its response is no success; it has no output. */
async function appliedThough(
  client: AdminClient,
  sent: SentCommand,
  error: AdminClientError,
  askedAt: number,
): Promise<CommandResult> {
  warn(`${deedOf(sent.operation, sent.input)}: ${failureWords(sent.operation, error)}`);
  const accepted = { requestId: error.requestId, askedAt, acceptedAt: Date.now(), output: undefined };
  const result = await afterwards(client, sent, accepted);
  return { ...result, message: `${result.message}; but: ${error.reason}` };
}

async function withHint(
  client: AdminClient,
  { input }: SentCommand,
  refused: CommandResult,
  error: AdminClientError,
): Promise<CommandResult> {
  if (refused.outcome !== "rejected") return refused;
  const { meantName } = await import("./names.ts");
  return { ...refused, message: refused.message + (await meantName(client, input, error)) };
}

/** A command whose response is lost has worked when the engine shows what it did not show before. */
async function resolved(client: AdminClient, sent: SentCommand, refused: CommandResult): Promise<CommandResult> {
  warn(`${refused.message}; reading the state now`);
  const before = sent.before ?? (await sent.reading);
  const { at, state } = await look(client, { ...sent, before }, undefined);
  if (at === null) return { ...refused, state };
  if (!showsItsWork(sent.operation, sent.input, before, state)) {
    return { ...refused, message: `${refused.message}; what the engine shows does not prove it`, state };
  }
  const message = `${deedOf(sent.operation, sent.input)}: done, the engine shows it; the response to the command was lost`;
  return { ...refused, outcome: "done", message, seenAt: isoTime(at), state };
}

async function afterwards(client: AdminClient, sent: SentCommand, accepted: Accepted): Promise<CommandResult> {
  const { operation, input, wait } = sent;
  const { at, state, why } = await look(client, sent, accepted);
  const isFailed = wait.kind === "prove" && at === null;
  const done = at === null ? "accepted by the engine" : "done, the engine shows it";
  const words = isFailed ? `accepted, but not proven: ${why}; read the state before you repeat it` : done;
  return commandResult(operation, input, isFailed ? "not-proven" : "done", words, {
    requestId: accepted.requestId,
    askedAt: isoTime(accepted.askedAt),
    acceptedAt: isoTime(accepted.acceptedAt),
    seenAt: at === null ? null : isoTime(at),
    state: state ?? accepted.output ?? null,
  });
}

/** Aborts `signal` at the first Ctrl-C; the second one ends the process, as it does without this. */
function interruption(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error("the waiting was ended at the terminal"));
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => void process.removeListener("SIGINT", abort) };
}

/** What was seen of a command's effect. */
interface Seen {
  /** Epoch milliseconds at which the engine showed it. */
  readonly at: number | null;
  /** What was read last. */
  readonly state: unknown;
  /** Why it was not seen. */
  readonly why: string;
}

/** Milliseconds between two reads. */
const INTERVAL_MS = 100;

const NOTHING: Seen = { at: null, state: null, why: "" };

/** Looks at what came of a command, for as long as it is waited for. `accepted` is undefined when its response was lost. */
async function look(client: AdminClient, sent: SentCommand, accepted: Accepted | undefined): Promise<Seen> {
  const { operation, input, wait, signal, before = accepted?.output } = sent;
  if (wait.kind === "none") return NOTHING;
  const { proofOf } = await import("./proof.ts");
  const prove = proofOf(operation);
  // An update of a risk table returns the table as it is then.
  if (!prove) return accepted?.output ? { at: accepted.acceptedAt, state: accepted.output, why: "" } : NOTHING;
  if (needsStateBefore(operation) && !before) return NOTHING;
  try {
    const state = await prove(client, input, { timeoutMs: wait.ms, intervalMs: INTERVAL_MS, signal }, before);
    return { at: Date.now(), state, why: "" };
  } catch (error) {
    return unseen(error, sent);
  }
}

function unseen(error: unknown, { wait, signal }: SentCommand): Seen {
  if (error instanceof NotConfirmedError) {
    const cause = error.cause instanceof Error ? error.cause.message : "";
    const why = signal.aborted ? cause : `the engine did not show it within ${wait.ms} ms${cause && `: ${cause}`}`;
    return { at: null, state: error.lastSeen ?? null, why };
  }
  if (error instanceof AdminClientError) return { at: null, state: null, why: error.message };
  throw error;
}

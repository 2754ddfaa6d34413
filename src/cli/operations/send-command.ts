import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { type OpenOrders, openOrdersWords } from "../../client/open-orders.ts";
import {
  type Before,
  isConfirmed,
  needsStateBefore,
  readBefore,
  requestsCancels,
  WAIT_BEFORE_MS,
} from "../../client/shown.ts";
import { inParallel } from "../../core/load/concurrency.ts";
import { STOP_AGAIN } from "../../core/operations/command-words.ts";
import { awaitedUntil } from "../../core/records/second-person.ts";
import { isoTimeOf, messageOf } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { type CommandOutcome, outcomeOf } from "../exit-codes.ts";
import { missingModule } from "../process.ts";
import { warn } from "../terminal/messages.ts";
import { type CommandResult, describeCommand, failureWords } from "./describe-command.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { commandResult } from "./result.ts";
import { type CommandToSend, look, type Seen, type SentCommand } from "./seen.ts";
import { type Accepted, NOT_SAID, send } from "./state.ts";

/**
 * Sends a command once, and looks for its effect. Never repeats it. Ctrl-C ends the waiting, and the result says what is
 * known by then: it does not take the command back.
 */
export async function sendCommand(connection: Connection, command: CommandToSend): Promise<CommandResult> {
  const before = await stateBefore(connection.polling, command);
  const { signal, end } = command.signal ? { signal: command.signal, end: () => {} } : interruption();
  try {
    return await resultOf(connection, await sentOnce(connection, { ...command, before, signal }));
  } finally {
    end();
    before.end();
  }
}

async function stateBefore(client: AdminClient, { operation, input, wait, before }: CommandToSend): Promise<Before> {
  const isRead = before === undefined && wait.kind !== "none" && isConfirmed(operation);
  return isRead ? readBefore(client, operation, input) : known(before);
}

function known(before: unknown): Before {
  return { state: Promise.resolve(before), end: () => {} };
}

/** Commands of one line that are sent at a time: as many stops of one user go before all else in the gateway. */
const WIDTH = 8;

/**
 * Sends several commands, each once and a few at a time, whatever happens to the others. Their effects are looked for when all are sent:
 * an effect that does not show must not keep a stop from being sent. Ctrl-C ends the waiting, and what was not sent by then is not.
 */
export async function sendCommands(
  connection: Connection,
  commands: readonly CommandToSend[],
): Promise<CommandResult[]> {
  const ready = await withStates(connection.polling, commands);
  const { signal, end } = interruption();
  try {
    const sent = await inParallel(ready, WIDTH, (one) => sentOnce(connection, { ...one, signal }));
    const sentAt = Date.now();
    return await inParallel(sent, WIDTH, (one) => resultOf(connection, withTimeSince(one, sentAt)));
  } finally {
    end();
    for (const { before } of ready) before.end();
  }
}

/** Several commands with the states before them, where only these show the effect, and as many as are read in the time that one waits. */
function withStates(
  client: AdminClient,
  commands: readonly CommandToSend[],
): Promise<(Omit<CommandToSend, "before"> & { readonly before: Before })[]> {
  const until = Date.now() + WAIT_BEFORE_MS;
  return inParallel(commands, WIDTH, async (one) => {
    const { operation, input, wait } = one;
    const ms = until - Date.now();
    const isRead = wait.kind === "prove" && needsStateBefore(operation) && ms > 0;
    return { ...one, before: isRead ? await readBefore(client, operation, input, ms) : known(one.before) };
  });
}

/** The least time for which the effect of one of several commands is looked for. */
const MIN_MS = 500;

/** All effects are looked for in the same time, not in one after the other. */
function withTimeSince(response: Response, sentAt: number): Response {
  const { wait } = response.sent;
  const ms = Math.max(wait.ms - (Date.now() - sentAt), Math.min(wait.ms, MIN_MS));
  return { ...response, sent: { ...response.sent, wait: { ...wait, ms } } };
}

interface Response {
  readonly sent: SentCommand;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  readonly answer: Accepted | AdminClientError;
}

async function sentOnce({ client }: Connection, sent: SentCommand): Promise<Response> {
  const askedAt = Date.now();
  try {
    return { sent, askedAt, answer: await send(client, sent) };
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    return { sent, askedAt, answer: error };
  }
}

/** Whatever is sent for the state afterwards, what the gateway said to the command is not lost. */
async function resultOf(connection: Connection, response: Response): Promise<CommandResult> {
  try {
    return await lookedAt(connection, response);
  } catch (error) {
    const { sent, askedAt, answer } = response;
    const [outcome, words] =
      answer instanceof AdminClientError && answer.outcome !== "applied"
        ? [outcomeOfRefusal(answer), failureWords(sent.operation, answer)]
        : ["not-proven" as const, "accepted, but not proven"];
    const why = missingModule(error) ?? `the state that was read is not understood: ${messageOf(error)}`;
    const { requestId } = answer;
    return commandResult(sent, outcome, `${words}; ${why}`, { requestId, askedAt: isoTimeOf(askedAt) });
  }
}

async function lookedAt({ client, polling }: Connection, { sent, askedAt, answer }: Response): Promise<CommandResult> {
  if (!(answer instanceof AdminClientError)) return afterwards(polling, sent, answer);
  if (answer.outcome === "applied") return appliedThough(polling, sent, answer, askedAt);
  const { operation, wait, signal } = sent;
  const outcome = outcomeOfRefusal(answer);
  const until = awaitedUntil(answer.reason);
  const facts = {
    requestId: answer.requestId,
    askedAt: isoTimeOf(askedAt),
    ...(until !== undefined && { awaitedUntil: isoTimeOf(until) }),
  };
  const refused = commandResult(sent, outcome, failureWords(operation, answer), facts);
  const isOpen = refused.outcome === "unknown" && wait.kind !== "none" && !signal.aborted;
  return isOpen ? resolved(polling, sent, refused) : withHint(client, refused, answer);
}

/** A command has no failure of another kind: the client says whether it was applied, or that this is unknown. */
function outcomeOfRefusal(error: AdminClientError): CommandOutcome {
  const found = outcomeOf(error);
  return found === "failed" ? "unknown" : found;
}

/** A command that was applied although its response is not a success; it has no output. */
async function appliedThough(
  client: AdminClient,
  sent: SentCommand,
  error: AdminClientError,
  askedAt: number,
): Promise<CommandResult> {
  warn(`${describeCommand(sent)}: ${failureWords(sent.operation, error)}`);
  const accepted = { requestId: error.requestId, askedAt, acceptedAt: Date.now(), output: undefined, isSaid: true };
  const result = await afterwards(client, sent, accepted);
  return { ...result, message: `${result.message}; but: ${error.reason}` };
}

async function withHint(client: AdminClient, refused: CommandResult, error: AdminClientError): Promise<CommandResult> {
  if (refused.outcome !== "rejected") return refused;
  const { meantName } = await import("./names.ts");
  return { ...refused, message: refused.message + (await meantName(client, refused.input, error)) };
}

/** A command whose response is lost has worked when the engine shows what it did not show before. */
async function resolved(client: AdminClient, sent: SentCommand, refused: CommandResult): Promise<CommandResult> {
  warn(`${refused.message}; reading the state now`);
  const { at, state, openOrders, why } = await look(client, sent, undefined);
  const seen = { state, ...(openOrders && { openOrders }) };
  if (at === null)
    return { ...refused, ...seen, message: `${refused.message}; ${await unprovenWords(sent, state, why)}` };
  const found = openOrders ? `; ${openOrdersWords(openOrders)}` : "";
  if (!isGone(openOrders)) return { ...refused, ...seen, message: `${refused.message}${found}` };
  const done = "done, the engine shows it; the response to the command was lost";
  const message = `${describeCommand(sent)}: ${done}${found}`;
  return { ...refused, ...seen, outcome: "done", message, seenAt: isoTimeOf(at) };
}

/** What was read, and for a stop what to do next: one that lasts may be sent again. */
async function unprovenWords({ operation }: SentCommand, state: unknown, why: string): Promise<string> {
  const isLasting = OPERATION_FACTS[operation].lane === "stop" && !needsStateBefore(operation);
  const next = isLasting ? `; ${STOP_AGAIN}` : "";
  if (state === null) return `the state could not be read: ${why}${next}`;
  const { factsOf } = await import("./preview.ts");
  return `what the engine shows does not prove it (${factsOf(state)})${next}`;
}

async function afterwards(client: AdminClient, sent: SentCommand, accepted: Accepted): Promise<CommandResult> {
  const seen = await look(client, sent, accepted);
  const { outcome, words } = verdictOn(sent, seen, accepted);
  return commandResult(sent, outcome, words, {
    requestId: accepted.requestId,
    askedAt: isoTimeOf(accepted.askedAt),
    acceptedAt: isoTimeOf(accepted.acceptedAt),
    seenAt: seen.at === null ? null : isoTimeOf(seen.at),
    state: seen.state ?? accepted.output ?? null,
    ...(seen.openOrders && { openOrders: seen.openOrders }),
    ...(accepted.approves && { approves: accepted.approves }),
  });
}

/** Decides by what was read back: an accepted command that does not show is not done. */
function verdictOn({ operation, input, wait }: SentCommand, seen: Seen, { isSaid }: Accepted): Verdict {
  const { at, isRead, why, openOrders } = seen;
  if (at === null && (wait.kind === "prove" || isRead)) {
    return { outcome: "not-proven", words: `accepted, but not proven: ${why}; read the state before you repeat it` };
  }
  if (at === null && !isSaid)
    return { outcome: "not-proven", words: `${NOT_SAID}; read the state before you repeat it` };
  const done = at === null ? "accepted by the engine" : "done, the engine shows it";
  if (!isConfirmed(operation) || !requestsCancels(operation, input)) return { outcome: "done", words: done };
  const found = openOrders ?? { kind: "unproven", why: "open sizes were not read" };
  return isGone(found)
    ? { outcome: "done", words: `${done}; ${openOrdersWords(found)}` }
    : {
        outcome: "not-proven",
        words: `accepted${at === null ? "" : ", trading is halted"}; ${openOrdersWords(found)}`,
      };
}

interface Verdict {
  readonly outcome: "done" | "not-proven";
  readonly words: string;
}

/** Whether no open orders are left where they were to be cancelled. */
function isGone(openOrders: OpenOrders | undefined): boolean {
  return openOrders === undefined || openOrders.kind === "none";
}

/** Aborts `signal` at the first Ctrl-C; the second one ends the process, as it does without this. */
function interruption(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error("the waiting was ended at the terminal"));
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => void process.removeListener("SIGINT", abort) };
}

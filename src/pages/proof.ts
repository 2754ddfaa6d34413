import type { AdminClient } from "../client/client.ts";
import { NotConfirmedError } from "../client/confirmation.ts";
import { AdminClientError } from "../client/errors.ts";
import { openOrdersWords } from "../client/open-orders.ts";
import { type Proof, readProof } from "../client/proof.ts";
import {
  type Before,
  type ConfirmedOperation,
  type ConfirmedState,
  isShownBy,
  needsStateBefore,
} from "../client/shown.ts";
import { givenReason } from "../core/conventions.ts";
import { COMMAND_WORDS, STOP_AGAIN } from "../core/operations/command-words.ts";
import type { Input } from "../core/operations/table.ts";
import type { CommandLine, Verdict } from "./status-line.ts";
import { capitalized, type PlainFailure, plainFailure, utc } from "./words.ts";

/** What to do while nobody knows whether a command was done. */
export function doubtAdvice(operation: ConfirmedOperation): string {
  const isLastingStop = COMMAND_WORDS[operation].typed === undefined && !needsStateBefore(operation);
  return isLastingStop ? `${capitalized(STOP_AGAIN)}.` : "Do not repeat it yet: check the state first.";
}

/** Seldom enough to be polite, often enough for a person who waits. */
const WAIT = { intervalMs: 500, timeoutMs: 12_000 };
/** A doubt is looked at again, as a stop may still come; once each time. */
const AGAIN_MS = 10_000;
const ONCE = { intervalMs: AGAIN_MS, timeoutMs: 3_000 };

/** A command that was sent, and that a read confirms; `words` say what it does. */
export interface CommandToProve {
  readonly operation: ConfirmedOperation;
  readonly input: Input<ConfirmedOperation>;
  readonly words: string;
  readonly before: Before;
  /** Whether nothing says that the engine has accepted it; a late reply may. */
  isReplyLost(): boolean;
}

/** Says what a command did, and reads on while that is in doubt, until the engine shows it or somebody has acknowledged the doubt. */
export async function followProof(client: AdminClient, sent: CommandToProve, line: CommandLine): Promise<void> {
  line.say(await verdictOn(client, sent, WAIT));
  void settleDoubt(client, sent, line);
}

async function settleDoubt(client: AdminClient, sent: CommandToProve, line: CommandLine): Promise<void> {
  while (!line.isSettled) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    if (line.isClosed || line.isSettled) return;
    if (document.visibilityState === "hidden") continue;
    const verdict = await verdictOn(client, sent, ONCE);
    // The same doubt is not read out again.
    if (verdict.outcome === "proven") line.say(verdict);
  }
}

async function verdictOn(client: AdminClient, sent: CommandToProve, wait: typeof WAIT): Promise<Verdict> {
  const { operation, input, words } = sent;
  const options = { ...wait, before: sent.before.state, isReplyLost: sent.isReplyLost() };
  try {
    return proofVerdict(words, await readProof(client, operation, { ...input }, options));
  } catch (error) {
    if (!(error instanceof NotConfirmedError || error instanceof AdminClientError)) throw error;
    const { text, details } = await whyNot(error, sent);
    return { outcome: "unknown", text: `${words}: no proof yet. ${doubtAdvice(operation)} ${text}`, details };
  }
}

function proofVerdict(words: string, { state, at, openOrders }: Proof<ConfirmedOperation>): Verdict {
  const shown = `${stateWords(state)}. Read from the engine at ${utc(at)}.`;
  if (openOrders === undefined) return { outcome: "proven", text: shown };
  const orders = `${capitalized(openOrdersWords(openOrders))}.`;
  if (openOrders.kind === "none") return { outcome: "proven", text: `${shown} ${orders}` };
  return { outcome: "unknown", text: `${words}: ${orders} ${shown}` };
}

async function whyNot(error: NotConfirmedError | AdminClientError, sent: CommandToProve): Promise<PlainFailure> {
  const cause = error instanceof NotConfirmedError ? error.cause : error;
  if (cause instanceof AdminClientError) return plainFailure(cause);
  const seen = (error as NotConfirmedError).lastSeen as State | undefined;
  return { text: seen ? await shownInstead(seen, sent) : "The engine does not show it.", details: "" };
}

async function shownInstead(seen: State, sent: CommandToProve): Promise<string> {
  const shown = `The engine shows: ${stateWords(seen)}. Read from the engine at ${utc(Date.now())}.`;
  const isReplyLost = sent.isReplyLost();
  const before = isReplyLost ? await sent.before.state : undefined;
  if (!isReplyLost || !isShownBy(sent.operation, seen, before)) return shown;
  return `${shown} ${before === undefined ? "What it was before is not known" : "That is not this command's work"}: this proves nothing.`;
}

type State = ConfirmedState<ConfirmedOperation>;

function stateWords(state: State): string {
  if ("enabled" in state) return `${state.name} is ${state.enabled ? "enabled" : "disabled"}`;
  if ("halted" in state) {
    const { projectionPath, halted, reason } = state;
    const isRoot = projectionPath === "";
    const words = halted ? "is halted" : isRoot ? "runs" : "is not halted";
    const given = givenReason(reason);
    return `${isRoot ? "All trading" : projectionPath} ${words}${given === null ? "" : ` (${given})`}`;
  }
  const { gatewayName, sessionId, status, connectTimestamp: at } = state;
  const since = status === "Connected" && at !== null ? `, connected at ${utc(at)}` : "";
  return `${sessionId} of ${gatewayName} is ${status}${since}`;
}

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
  readState,
} from "../client/shown.ts";
import { givenReason } from "../core/conventions.ts";
import { COMMAND_WORDS, STOP_AGAIN } from "../core/operations/command-words.ts";
import type { Input } from "../core/operations/table.ts";
import type { CommandLine, Verdict } from "./status-line.ts";
import { capitalized, type PlainFailure, plainFailure, utc } from "./words.ts";

/** Whether it may be sent again without harm while nobody knows whether it was done. */
export function isLastingStop(operation: ConfirmedOperation): boolean {
  return COMMAND_WORDS[operation].typed === undefined && !needsStateBefore(operation);
}

/** What to do while nobody knows whether a command was done. */
export function doubtAdvice(operation: ConfirmedOperation): string {
  return isLastingStop(operation) ? `${capitalized(STOP_AGAIN)}.` : "Do not repeat it yet: check the state first.";
}

/** Seldom enough to be polite, often enough for a person who waits. */
const WAIT = { intervalMs: 500, timeoutMs: 12_000 };
/** A doubt is looked at again, as a stop may still come; once each time, which may take a while where the engine has much to do. */
const AGAIN_MS = 10_000;
const ONCE = { intervalMs: AGAIN_MS, timeoutMs: 5_000 };
/** A proof is compared with the state for as long as it is shown, as often as the page reads whether trading is halted. */
const COMPARED_MS = 5_000;

/** A command that was sent, and that a read confirms; `words` say what it does. */
export interface CommandToProve {
  readonly operation: ConfirmedOperation;
  readonly input: Input<ConfirmedOperation>;
  readonly words: string;
  readonly before: Before;
  /** Whether nothing says that the engine has accepted it; a late reply may. */
  isReplyLost(): boolean;
  /** Asks what the gateway has learned of it since, which may settle its line. */
  askGateway?(): Promise<void>;
  /** Says what stays stopped although it is proven; empty where nothing does. */
  remainder?(): Promise<string>;
}

/**
 * Says what a command did, and reads on while that is in doubt, until the engine shows it or somebody has acknowledged the doubt. A proof is
 * a thing of the past once the engine shows something else.
 */
export async function followProof(client: AdminClient, sent: CommandToProve, line: CommandLine): Promise<void> {
  const verdict = await verdictOn(client, sent, WAIT);
  sayNews(line, verdict);
  void readOn(client, sent, line, verdict);
}

async function readOn(client: AdminClient, sent: CommandToProve, line: CommandLine, first: Verdict): Promise<void> {
  if (first.outcome !== "proven") await settleDoubt(client, sent, line);
  while (line.verdict.outcome === "proven" && (await isLookedAtAfter(COMPARED_MS, line))) {
    const undone = await undoneVerdict(client, sent);
    if (undone) line.say(undone);
  }
}

/** Once more also where the gateway has settled it meanwhile: a proof says more. */
async function settleDoubt(client: AdminClient, sent: CommandToProve, line: CommandLine): Promise<void> {
  while (await isLookedAtAfter(AGAIN_MS, line)) {
    await sent.askGateway?.();
    sayNews(line, await verdictOn(client, sent, ONCE));
    if (line.isSettled) return;
  }
}

/** Waits, and longer in a hidden tab; false for a line that has been closed. */
async function isLookedAtAfter(ms: number, line: CommandLine): Promise<boolean> {
  do {
    await new Promise((resolve) => setTimeout(resolve, ms));
  } while (!line.isClosed && document.visibilityState === "hidden");
  return !line.isClosed;
}

/** What is settled is no longer in doubt, whatever is read later. The same doubt, read a while later, is not read out again. */
function sayNews(line: CommandLine, verdict: Verdict): void {
  const { outcome, text } = line.verdict;
  const isOver = line.isSettled && (verdict.outcome !== "proven" || outcome === "not-applied");
  const isNews = outcome !== verdict.outcome || untimed(text) !== untimed(verdict.text);
  if (!isOver && isNews) line.say(verdict);
}

function untimed(text: string): string {
  return text.replace(/ Read from the engine at [^.]*\./, "");
}

async function verdictOn(client: AdminClient, sent: CommandToProve, wait: typeof WAIT): Promise<Verdict> {
  const { operation, input, words } = sent;
  const options = { ...wait, before: sent.before.state, isReplyLost: sent.isReplyLost() };
  try {
    const verdict = proofVerdict(words, await readProof(client, operation, { ...input }, options));
    return withRemainder(verdict, (await sent.remainder?.()) ?? "");
  } catch (error) {
    if (!(error instanceof NotConfirmedError || error instanceof AdminClientError)) throw error;
    const { text, details } = await whyNot(error, sent);
    return { outcome: "unknown", text: `${words}: no proof yet. ${doubtAdvice(operation)} ${text}`, details };
  }
}

function proofVerdict(words: string, { state, at, openOrders }: Proof<ConfirmedOperation>): Verdict {
  const read = `Read from the engine at ${utc(at)}.`;
  const shown = `${stateWords(state)}. ${read}`;
  if (openOrders === undefined) return { outcome: "proven", text: shown, briefly: read };
  const orders = `${capitalized(openOrdersWords(openOrders))}.`;
  if (openOrders.kind !== "none") return { outcome: "unknown", text: `${words}: ${orders} ${shown}` };
  return { outcome: "proven", text: `${shown} ${orders}`, briefly: `${orders} ${read}` };
}

/** What takes the place of a proof that the engine no longer shows; undefined while it shows it, or cannot be read. */
async function undoneVerdict(client: AdminClient, sent: CommandToProve): Promise<Verdict | undefined> {
  const { operation, input, words, before } = sent;
  const state = await readState(client, operation, input).catch(unread);
  if (state === undefined || isShownBy(operation, state, await before.state)) return undefined;
  const shown = `At ${utc(Date.now())} the engine showed: ${stateWords(state)}.`;
  return { outcome: "applied", text: `${words}: done, and undone since. ${shown}` };
}

function unread(error: unknown): undefined {
  if (!(error instanceof AdminClientError)) throw error;
}

/** A proof that says first what it does not show; the same verdict where that is empty. */
export function withRemainder(verdict: Verdict, remainder: string): Verdict {
  if (remainder === "" || verdict.outcome !== "proven") return verdict;
  return { ...verdict, isPartial: true, text: [remainder, verdict.briefly].filter(Boolean).join(" ") };
}

async function whyNot(error: NotConfirmedError | AdminClientError, sent: CommandToProve): Promise<PlainFailure> {
  const cause = error instanceof NotConfirmedError ? error.cause : error;
  if (cause instanceof AdminClientError) return plainFailure(cause);
  const seen = (error as NotConfirmedError).lastSeen as State | undefined;
  return { text: seen ? await shownInstead(seen, sent) : "The engine does not answer.", details: "" };
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
    const [whole, node] = halted ? ["All trading is halted", "is halted"] : ["Trading is running", "is not halted"];
    const given = givenReason(reason);
    return `${isRoot ? whole : `${projectionPath} ${node}`}${given === null ? "" : ` (${given})`}`;
  }
  const { gatewayName, sessionId, status, connectTimestamp: at } = state;
  const since = status === "Connected" && at !== null ? `, connected at ${utc(at)}` : "";
  return `${sessionId} of ${gatewayName} is ${status.toLowerCase()}${since}`;
}

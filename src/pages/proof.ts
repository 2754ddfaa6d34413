import type { AdminClient } from "../client/client.ts";
import { type ConfirmedOperation, type ConfirmedState, confirmApplied } from "../client/confirm.ts";
import { NotConfirmedError } from "../client/confirmation.ts";
import { AdminClientError } from "../client/errors.ts";
import { CONFIRMATIONS } from "../client/routes.ts";
import type { Input } from "../core/operations/table.ts";
import { failureText } from "./failure.ts";
import { utc } from "./time.ts";

/** Seldom enough to be polite, often enough for a person who waits. */
const WAIT = { intervalMs: 500, timeoutMs: 12_000 };

/** What is said of a command: it is under way, proven, not proven, or certainly not done. */
export interface Verdict {
  readonly tone: "busy" | "done" | "doubt" | "failed";
  readonly text: string;
}

/** Whether a read shows that an operation was done. */
export function isProvable(operation: string): operation is ConfirmedOperation {
  return operation in CONFIRMATIONS;
}

/** A command that a read confirms; `words` say what it does. */
export interface ConfirmedCommand {
  readonly operation: ConfirmedOperation;
  readonly input: Input<ConfirmedOperation>;
  readonly words: string;
}

type State = ConfirmedState<ConfirmedOperation>;

/** What has to be read before a session is disconnected: its counterparty may connect again at once. Nothing for other commands. */
export async function stateBefore(client: AdminClient, operation: string, input: object): Promise<State | undefined> {
  if (operation !== "disconnectFixSession") return undefined;
  return client.getFixSession(input as Input<"getFixSession">).catch(() => undefined);
}

/** Reads until the engine shows what a command was to do, and says what it shows. */
export async function readProof(
  client: AdminClient,
  { operation, input, words }: ConfirmedCommand,
  before: State | undefined,
): Promise<Verdict> {
  try {
    const state = await confirmApplied(client, operation, input, { ...WAIT, before });
    return { tone: "done", text: `${stateWords(state)}. Read from the engine at ${utc(Date.now())}.` };
  } catch (error) {
    if (!(error instanceof NotConfirmedError || error instanceof AdminClientError)) throw error;
    return { tone: "doubt", text: `${words}: no proof yet. ${whyNot(error)} Read the state before you send it again.` };
  }
}

function whyNot(error: NotConfirmedError | AdminClientError): string {
  const cause = error instanceof NotConfirmedError ? error.cause : error;
  if (cause instanceof AdminClientError) return failureText(cause);
  const seen = (error as NotConfirmedError).lastSeen as State | undefined;
  return seen ? `The engine shows: ${stateWords(seen)}.` : "The engine does not show it.";
}

function stateWords(state: State): string {
  if ("enabled" in state) return `${state.name} is ${state.enabled ? "enabled" : "disabled"}`;
  if ("halted" in state) {
    const { projectionPath, halted, reason } = state;
    const isRoot = projectionPath === "";
    const words = halted ? "is halted" : isRoot ? "runs" : "is not halted";
    return `${isRoot ? "All trading" : projectionPath} ${words}${reason === null ? "" : ` (${reason})`}`;
  }
  const { gatewayName, sessionId, status, connectTimestamp: at } = state;
  const since = status === "Connected" && at !== null ? `, connected at ${utc(at)}` : "";
  return `${sessionId} of ${gatewayName} is ${status}${since}`;
}

import type { AdminClient } from "../../client/client.ts";
import { NotConfirmedError } from "../../client/confirmation.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Wait } from "../duration.ts";
import type { OperationInput } from "./input.ts";
import { type Accepted, needsStateBefore } from "./state.ts";

/** A command that was sent. */
export interface SentCommand {
  readonly operation: OperationName;
  readonly input: OperationInput;
  readonly wait: Wait;
  /** State before it, where it was read. */
  readonly before?: unknown;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** What was seen of a command's effect. */
export interface Seen {
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
export async function look(client: AdminClient, sent: SentCommand, accepted: Accepted | undefined): Promise<Seen> {
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

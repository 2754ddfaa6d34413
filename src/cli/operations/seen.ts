import type { AdminClient } from "../../client/client.ts";
import { NotConfirmedError } from "../../client/confirmation.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OpenOrders } from "../../client/open-orders.ts";
import { type Before, needsStateBefore } from "../../client/shown.ts";
import type { Wait } from "../duration.ts";
import type { Command } from "./describe-command.ts";
import type { Accepted } from "./state.ts";

/** A command and how long its effect is waited for. */
export interface CommandToSend extends Command {
  readonly wait: Wait;
  /** Entity tag of the state that it was decided by. */
  readonly ifMatch?: string | undefined;
  /** State before it, where it was read; else it is read now, if the effect is to be proven. */
  readonly before?: unknown;
  /** Ends the waiting, in place of Ctrl-C. */
  readonly signal?: AbortSignal;
}

export interface SentCommand extends Omit<CommandToSend, "before"> {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  readonly before: Before;
}

export interface Seen {
  /** Epoch milliseconds at which the engine showed it. */
  readonly at: number | null;
  /** The last state read. */
  readonly state: unknown;
  readonly isRead: boolean;
  /** Why it was not seen. */
  readonly why: string;
  /** State of the orders that it was to cancel. */
  readonly openOrders?: OpenOrders | undefined;
}

/** Milliseconds between two reads. */
const INTERVAL_MS = 100;

const NOTHING: Seen = { at: null, state: null, isRead: false, why: "nothing that was read shows it" };

/** Looks for the effect of a command, for as long as it is waited for. `accepted` is undefined when its response was lost. */
export async function look(client: AdminClient, sent: SentCommand, accepted: Accepted | undefined): Promise<Seen> {
  const { operation, input, wait, signal } = sent;
  if (wait.kind === "none") return NOTHING;
  const { proofOf } = await import("./proof.ts");
  const prove = proofOf(operation, wait);
  if (!prove) return NOTHING;
  const before = sent.before.state.then((state) => (state === undefined ? accepted?.output : state));
  if (needsStateBefore(operation) && !(await before)) return NOTHING;
  try {
    const known = { before, isReplyLost: accepted === undefined, timeoutMs: wait.ms, intervalMs: INTERVAL_MS, signal };
    const { at, state, openOrders } = await prove(client, input, known);
    return { at, state, isRead: true, why: "", openOrders };
  } catch (error) {
    return unseen(error, sent);
  }
}

function unseen(error: unknown, { wait, signal }: SentCommand): Seen {
  if (error instanceof NotConfirmedError) {
    const cause = error.cause instanceof Error ? error.cause.message : "";
    const missing = wait.logon ? "its peer did not log on" : "the engine did not show it";
    const why = signal.aborted ? cause : `${missing} within ${wait.ms} ms${cause && `: ${cause}`}`;
    return { at: null, state: error.lastSeen ?? null, isRead: error.lastSeen !== undefined, why };
  }
  if (error instanceof AdminClientError) return { ...NOTHING, why: error.message };
  throw error;
}

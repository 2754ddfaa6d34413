import type { AdminClient } from "../../client/client.ts";
import { NotConfirmedError } from "../../client/confirmation.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Connection } from "../connection/connect.ts";
import { warn } from "../terminal/say.ts";
import { deedOf } from "./deed.ts";
import type { OperationInput } from "./input.ts";
import { type CommandResult, isoTime, refusedResult } from "./result.ts";
import { type Accepted, send } from "./send.ts";
import type { Wait } from "./wait.ts";

/** A command and how long its effect is waited for. */
export interface Command {
  readonly operation: OperationName;
  readonly input: OperationInput;
  readonly wait: Wait;
  /** State before it, where it was read. */
  readonly before?: unknown;
}

/** Milliseconds between two reads. */
const INTERVAL_MS = 100;

/** Sends a command once, and looks at what came of it. Never repeats it. */
export async function command({ client, polling }: Connection, asked: Command): Promise<CommandResult> {
  const { operation, input, wait } = asked;
  const askedAt = Date.now();
  let accepted: Accepted;
  try {
    accepted = await send(client, operation, input);
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    const refused = refusedResult(operation, input, error, askedAt);
    if (refused.outcome === "unknown" && wait.kind === "prove") return resolved(polling, asked, refused);
    const hint = error.status === undefined ? "" : await (await import("./names.ts")).meantName(client, input, error);
    return { ...refused, message: refused.message + hint };
  }
  return afterwards(polling, asked, accepted);
}

/** A command whose answer is lost has worked when the engine shows it. */
async function resolved(client: AdminClient, asked: Command, refused: CommandResult): Promise<CommandResult> {
  warn(`${refused.message}; reading the state now`);
  const seen = await look(client, asked, asked.before);
  if (seen.at === null) return { ...refused, state: seen.state };
  const message = `${deedOf(asked.operation, asked.input)}: done, the engine shows it; the answer to the command was lost`;
  return { ...refused, outcome: "done", message, seenAt: isoTime(seen.at), state: seen.state };
}

async function afterwards(client: AdminClient, asked: Command, accepted: Accepted): Promise<CommandResult> {
  const { operation, input, wait, before = accepted.output } = asked;
  const seen =
    wait.kind === "none" ? { ...NOTHING, state: accepted.output } : await look(client, asked, before, accepted);
  const isFailed = wait.kind === "prove" && seen.at === null;
  const done = seen.at === null ? "accepted by the engine" : "done, the engine shows it";
  const words = isFailed ? `accepted, but not proven: ${seen.why}; read the state before you repeat it` : done;
  return {
    operation,
    input,
    requestId: accepted.requestId,
    outcome: isFailed ? "not-proven" : "done",
    message: `${deedOf(operation, input)}: ${words}`,
    askedAt: isoTime(accepted.askedAt),
    acceptedAt: isoTime(accepted.acceptedAt),
    seenAt: seen.at === null ? null : isoTime(seen.at),
    state: seen.state ?? accepted.output,
  };
}

interface Seen {
  /** Epoch milliseconds at which the engine showed it. */
  readonly at: number | null;
  /** What was read last. */
  readonly state: unknown;
  readonly why: string;
}

const NOTHING: Seen = { at: null, state: null, why: "" };

async function look(
  client: AdminClient,
  { operation, input, wait }: Command,
  before: unknown,
  accepted?: Accepted,
): Promise<Seen> {
  const { PROOFS } = await import("./proof.ts");
  const prove = PROOFS[operation];
  // An update of a risk table returns the table as it is then.
  if (!prove) return accepted ? { at: accepted.acceptedAt, state: accepted.output, why: "" } : NOTHING;
  if (operation === "disconnectFixSession" && !before) return NOTHING;
  try {
    const state = await prove(client, input, { timeoutMs: wait.ms, intervalMs: INTERVAL_MS }, before);
    return { at: Date.now(), state, why: "" };
  } catch (error) {
    if (error instanceof NotConfirmedError) {
      const why = error.cause instanceof Error ? `: ${error.cause.message}` : "";
      return { at: null, state: error.lastSeen ?? null, why: `the engine did not show it within ${wait.ms} ms${why}` };
    }
    if (error instanceof AdminClientError) return { at: null, state: null, why: error.message };
    throw error;
  }
}

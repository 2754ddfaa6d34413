import type { AdminClient } from "../../../client/client.ts";
import { type ConfirmedOperation, confirmApplied } from "../../../client/confirm.ts";
import { outcomeInHeader } from "../../../client/result.ts";
import { CONFIRMATIONS } from "../../../client/routes.ts";
import type { Input } from "../../../core/operations/table.ts";
import { messageOf } from "../../../core/values/basics.ts";
import type { AskedOperation } from "./described.ts";

/** Seldom enough to be polite, often enough for a person who waits. */
const WAIT = { intervalMs: 500, timeoutMs: 12_000 };

/** What became of a command: certainly nothing, or proven, or not proven yet. */
export interface Verdict {
  readonly tone: "done" | "doubt" | "failed";
  readonly text: string;
}

/** Reads the state after a command got its response, or got none, and says what it shows. */
export async function verdictOn(
  client: AdminClient,
  words: string,
  asked: AskedOperation,
  response: Response | undefined,
): Promise<Verdict> {
  const came = response ? `(${response.status})` : "(no response)";
  // A response without the API's word may be a proxy's, for a command that it has forwarded: only the state can tell.
  const outcome = outcomeInHeader(response?.headers.get("x-admin-outcome")) ?? "unknown";
  if (outcome === "not-applied") return { tone: "failed", text: `${words}: not done ${came}, see the response.` };
  const { operationId } = asked.operation;
  if (!isConfirmed(operationId)) {
    const said =
      outcome === "applied" || response?.ok ? "accepted, do not repeat it" : "it is not known whether it was done";
    return { tone: "doubt", text: `${words}: ${said} ${came}. Read the state to see what it did.` };
  }
  try {
    // The server has taken it for an input of this operation, or else it says so.
    const input = given(asked.input) as Input<typeof operationId>;
    const state = await confirmApplied(client, operationId, input, WAIT);
    const at = `${new Date().toISOString().slice(11, 19)} UTC`;
    return { tone: "done", text: `${words}: done. Read from the engine at ${at}: ${shown(state, operationId)}` };
  } catch (error) {
    const why = messageOf(error);
    return { tone: "doubt", text: `${words}: no proof yet. ${why}` };
  }
}

/** Whether a read shows that the operation was done. */
function isConfirmed(operationId: string): operationId is ConfirmedOperation {
  return operationId in CONFIRMATIONS;
}

/** A field that was given as `null` was left out. */
function given(input: AskedOperation["input"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

/** What a state says besides the name of what was commanded. */
function shown(state: unknown, operationId: ConfirmedOperation): string {
  const { target }: { readonly target: readonly string[] } = CONFIRMATIONS[operationId];
  const fields = Object.entries(state as Readonly<Record<string, unknown>>).filter(([name]) => !target.includes(name));
  return fields.map(([name, value]) => `${name}: ${value ?? "none"}`).join(", ");
}

import type { AdminClient } from "../../../client/client.ts";
import { outcomeInHeader } from "../../../client/result.ts";
import type { Input } from "../../../core/operations/table.ts";
import { isProvable, readProof, type stateBefore, type Verdict } from "../../../pages/proof.ts";
import { type AskedOperation, effectOf } from "./described.ts";

/** A command that was sent, and the state before where its proof needs it. */
export interface TriedCommand {
  readonly client: AdminClient;
  readonly asked: AskedOperation;
  readonly before: ReturnType<typeof stateBefore>;
}

/** Reads the state after a command got its response, or got none, and says what it shows. */
export async function verdictOn(
  { client, asked, before }: TriedCommand,
  response: Response | undefined,
): Promise<Verdict> {
  const words = effectOf(asked);
  const operation = asked.operation.operationId;
  const came = response ? `(${response.status})` : "(no response)";
  // A response without the API's word may be a proxy's, for a command that it has forwarded: only the state can tell.
  const outcome = outcomeInHeader(response?.headers.get("x-admin-outcome")) ?? "unknown";
  if (outcome === "not-applied") return { tone: "failed", text: `${words}: not done ${came}, see the response.` };
  if (isProvable(operation)) {
    // The server has taken it for an input of this operation, or else it says so.
    return readProof(client, { operation, input: given(asked.input) as Input<typeof operation>, words }, await before);
  }
  const said =
    outcome === "applied" || response?.ok ? "accepted, do not repeat it" : "it is not known whether it was done";
  return { tone: "doubt", text: `${words}: ${said} ${came}. Read the state to see what it did.` };
}

/** A field that was given as `null` was left out. */
function given(input: AskedOperation["input"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

import type { AdminClient } from "../../../client/client.ts";
import { saidOutcome } from "../../../client/result.ts";
import { isConfirmed, readBefore } from "../../../client/shown.ts";
import type { MutationOutcome } from "../../../core/errors.ts";
import type { Input, Output } from "../../../core/operations/table.ts";
import { followProof } from "../../../pages/proof.ts";
import type { CommandLine, Verdict } from "../../../pages/status-line.ts";
import { effectOf, type RequestedOperation } from "./page-document.ts";
import { shownLimits } from "./shown-limits.ts";

/** Sends a command, and says what happened to it besides what Swagger UI shows, the more so if no response comes. */
export async function sendAndProve(
  client: AdminClient,
  command: RequestedOperation,
  send: () => Promise<Response>,
  line: CommandLine,
): Promise<Response> {
  const operation = command.operation.operationId;
  const input = given(command.input);
  const before = isConfirmed(operation) ? await readBefore(client, operation, input) : undefined;
  const coming = send();
  void coming
    // Swagger UI reads the response itself.
    .then(
      (response) => response.clone(),
      () => undefined,
    )
    .then(async (response) => {
      const outcome = responseOutcome(response);
      const shown = response && (await shownBy(command, response));
      line.say(shown ?? verdictOn(command, response, outcome));
      if (outcome === "not-applied" || !before || !isConfirmed(operation)) return;
      // The server has taken it for an input of this operation, or else it says so.
      const sent = { operation, input: input as Input<typeof operation>, words: effectOf(command), before };
      return followProof(client, { ...sent, isReplyLost: () => outcome === "unknown" }, line);
    });
  return coming;
}

/** A failure without the API's word may be a proxy's, of a command that it has forwarded: only the state can tell. */
function responseOutcome(response: Response | undefined): MutationOutcome {
  if (!response) return "unknown";
  return saidOutcome(response) ?? (response.ok ? "applied" : "unknown");
}

/** The proof that a response itself is: an update of a risk table returns the table after it. */
async function shownBy(
  { operation: { operationId }, input }: RequestedOperation,
  response: Response,
): Promise<Verdict | undefined> {
  // The API itself says that it was one, so the request was valid and this is its table.
  if (operationId !== "updateRiskTable" || !response.ok || saidOutcome(response) !== "applied") return undefined;
  const table = (await response.json().catch(() => undefined)) as Output<"updateRiskTable"> | undefined;
  const limits = table && shownLimits(input as Input<"updateRiskTable">, table);
  if (limits === undefined) return undefined;
  return { outcome: "proven", text: `${limits}. The engine's table after the update shows it.` };
}

function verdictOn(command: RequestedOperation, response: Response | undefined, outcome: MutationOutcome): Verdict {
  const words = effectOf(command);
  const came = response ? `response ${response.status}` : "no response came";
  if (outcome === "not-applied") {
    return { outcome: "not-applied", text: `${words}: not done (${response?.status}), see the response.` };
  }
  if (isConfirmed(command.operation.operationId)) {
    return { outcome: response?.ok ? "pending" : "unknown", text: `${words}: ${came}. Reading the state for proof.` };
  }
  const advice = "Read the state to see what it did.";
  return outcome === "applied"
    ? { outcome: "applied", text: `${words}: accepted, do not repeat it (${came}). ${advice}` }
    : { outcome: "unknown", text: `${words}: it is not known whether it was done (${came}). ${advice}` };
}

/** A field that was given as `null` was left out. */
function given(input: RequestedOperation["input"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

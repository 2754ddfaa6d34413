import type { AdminClient } from "../../../client/client.ts";
import {
  confirmHalted,
  confirmResumed,
  confirmServiceDisabled,
  confirmServiceEnabled,
  confirmSessionDisabled,
  confirmSessionEnabled,
} from "../../../client/confirm.ts";
import type { AskedOperation } from "./described.ts";

type Reader = (client: AdminClient, input: Readonly<Record<string, string>>) => Promise<unknown>;

/** Seldom enough to be polite, often enough for somebody who waits. */
const WAIT = { intervalMs: 500, timeoutMs: 12_000 };

/** How the page finds out that a command was done: by reading until the engine shows it. */
const PROOFS: Readonly<Record<string, Reader>> = {
  haltTrading: (client, { projectionPath }) => confirmHalted(client, projectionPath, WAIT),
  resumeTrading: (client, { projectionPath }) => confirmResumed(client, projectionPath, WAIT),
  disableService: (client, { name = "" }) => confirmServiceDisabled(client, name, WAIT),
  enableService: (client, { name = "" }) => confirmServiceEnabled(client, name, WAIT),
  disableFixSession: (client, { gateway = "", session = "" }) =>
    confirmSessionDisabled(client, { gateway, session }, WAIT),
  enableFixSession: (client, { gateway = "", session = "" }) =>
    confirmSessionEnabled(client, { gateway, session }, WAIT),
  disconnectFixSession: (client, { gateway = "", session = "" }) => client.getFixSession({ gateway, session }),
  updateRiskTable: (client, { projection = "" }) => client.getRiskTable({ projection }),
};

/** What became of a command: certainly nothing, or proven, or not proven yet. */
export interface Verdict {
  readonly tone: "done" | "doubt" | "failed";
  readonly text: string;
}

/** Statuses that say that a command was not carried out. */
const NOT_DONE: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 429, 503]);

/** Reads the state after a command was answered with `status`, and says what it shows. */
export async function verdictOn(
  client: AdminClient,
  words: string,
  asked: AskedOperation,
  status: number,
): Promise<Verdict> {
  if (NOT_DONE.has(status)) return { tone: "failed", text: `${words}: not done (${status}), see the answer.` };
  const proof = PROOFS[asked.operation.operationId];
  if (!proof) return { tone: "doubt", text: `${words}: answered with ${status}. Read the state to see what it did.` };
  try {
    const state = await proof(client, textsOf(asked.input));
    const at = `${new Date().toISOString().slice(11, 19)} UTC`;
    return { tone: "done", text: `${words}: done. Read from the engine at ${at}: ${shown(state)}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { tone: "doubt", text: `${words}: no proof yet. ${why}` };
  }
}

/** A field that was given as `null` was left out. */
function textsOf(input: AskedOperation["input"]): Record<string, string> {
  const given = Object.entries(input).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(given) as Record<string, string>;
}

/** A state in words; of lists only how long they are, since the answer shows them. */
function shown(state: unknown): string {
  const fields = Object.entries(state as Readonly<Record<string, unknown>>);
  return fields.map(([name, value]) => `${name} ${Array.isArray(value) ? value.length : (value ?? "none")}`).join(", ");
}

import type { AdminClient } from "../../client/client.ts";
import {
  confirmHalted,
  confirmResumed,
  confirmServiceDisabled,
  confirmServiceEnabled,
  confirmSessionDisabled,
  confirmSessionDisconnected,
  confirmSessionEnabled,
} from "../../client/confirm.ts";
import type { ConfirmOptions } from "../../client/confirmation.ts";
import type { OperationName, Output } from "../../core/operations.ts";
import type { OperationInput } from "./input.ts";

/**
 * Reads until the engine shows what a command was to bring about. `before` is the state that was there before it, or what the
 * command itself returned: only the time of its connection tells a session that lost it from one that did not.
 */
export type Proof = (
  client: AdminClient,
  input: OperationInput,
  options: ConfirmOptions,
  before: unknown,
) => Promise<unknown>;

type Session = { readonly gateway: string; readonly session: string };

/** The operations whose effect can be proven by reading. */
export const PROOFS: Partial<Record<OperationName, Proof>> = {
  haltTrading: (client, { projectionPath }, options) => confirmHalted(client, text(projectionPath), options),
  resumeTrading: (client, { projectionPath }, options) => confirmResumed(client, text(projectionPath), options),
  enableService: (client, { name }, options) => confirmServiceEnabled(client, text(name), options),
  disableService: (client, { name }, options) => confirmServiceDisabled(client, text(name), options),
  enableFixSession: (client, input, options) => confirmSessionEnabled(client, sessionOf(input), options),
  disableFixSession: (client, input, options) => confirmSessionDisabled(client, sessionOf(input), options),
  disconnectFixSession: (client, _input, options, before) =>
    confirmSessionDisconnected(client, before as Output<"getFixSession">, options),
};

/** The state that an operation acts on; null for one whose state is a table or a list of its own. */
export async function readState(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
): Promise<unknown> {
  if (operation === "haltTrading" || operation === "resumeTrading") {
    return client.getTradingStatus({ projectionPath: text(input.projectionPath) });
  }
  if (operation === "enableService" || operation === "disableService") {
    return client.getService({ name: text(input.name) });
  }
  return client.getFixSession(sessionOf(input));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sessionOf({ gateway, session }: OperationInput): Session {
  return { gateway: text(gateway), session: text(session) };
}

import type { AdminClient, CallOptions } from "../../client/client.ts";
import {
  confirmHalted,
  confirmResumed,
  confirmServiceDisabled,
  confirmServiceEnabled,
  confirmSessionDisabled,
  confirmSessionDisconnected,
  confirmSessionEnabled,
} from "../../client/confirm.ts";
import { type ConfirmOptions, confirmed } from "../../client/confirmation.ts";
import type { OperationName, Output } from "../../core/operations/table.ts";
import { exactSum } from "../output/decimal.ts";
import type { OperationInput } from "./input.ts";
import { type Position, positionAt } from "./position-at.ts";

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
  adjustPosition: (client, input, options, before) =>
    confirmAdjusted(client, input, options, before as Position | null),
};

/** Reads the state that a command of trading, services or FIX sessions acts on. */
export async function readState(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
  call?: CallOptions,
): Promise<unknown> {
  if (operation === "haltTrading" || operation === "resumeTrading") {
    return client.getTradingStatus({ projectionPath: text(input.projectionPath) }, call);
  }
  if (operation === "enableService" || operation === "disableService") {
    return client.getService({ name: text(input.name) }, call);
  }
  return client.getFixSession(sessionOf(input), call);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sessionOf({ gateway, session }: OperationInput): Session {
  return { gateway: text(gateway), session: text(session) };
}

/** Waits until a position has its new size. Trading goes on meanwhile, so it may pass that size unseen. */
function confirmAdjusted(
  client: AdminClient,
  { projectionPath, size, relative }: OperationInput,
  options: ConfirmOptions,
  before: Position | null,
): Promise<Position | null> {
  const wanted = exactSum(relative === true ? [before?.size, size] : [size]);
  const words = `the position ${projectionPath} has the size ${wanted}`;
  const read = (call: CallOptions): Promise<Position | null> => positionAt(client, text(projectionPath), call);
  return confirmed({ words, read, holds: (position) => exactSum([position?.size]) === wanted }, options);
}

import type { Fields } from "../core/values/basics.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { type ConfirmOptions, confirmed, NotConfirmedError } from "./confirmation.ts";
import { type OpenOrders, readOpenOrders } from "./open-orders.ts";
import {
  type ConfirmedOperation,
  type ConfirmedState,
  claimWords,
  hasChangedAsRequested,
  isShownBy,
  needsStateBefore,
  readState,
  requestsCancels,
} from "./shown.ts";

export interface ProofOptions extends ConfirmOptions {
  /** State as it was read before the command, or the read of it; undefined where it was not read. */
  readonly before?: unknown;
  /** No response says that the command was accepted: only a state that has changed as requested proves it. */
  readonly isReplyLost?: boolean | undefined;
}

/** The state that proves a command. */
export interface Proof<K extends ConfirmedOperation> {
  readonly state: ConfirmedState<K>;
  /** Epoch milliseconds at which that was read. */
  readonly at: number;
  /** Where working orders were to be cancelled: only `none` proves that. */
  readonly openOrders?: OpenOrders;
}

/**
 * Reads until the engine shows what a command was to bring about, and then what happened to the orders that it was to cancel.
 *
 * @throws NotConfirmedError when the state does not show it in time.
 * @throws AdminClientError for what no waiting changes.
 */
export async function readProof<K extends ConfirmedOperation>(
  client: AdminClient,
  operation: K,
  input: Fields,
  { before: known, isReplyLost = false, ...options }: ProofOptions,
): Promise<Proof<K>> {
  const before = isReplyLost || needsStateBefore(operation) ? await known : undefined;
  const isOpen = isReplyLost && before !== undefined;
  const words = `${claimWords(operation, input)}${isOpen ? ", and was not before" : ""}`;
  const read = (call: CallOptions): Promise<ConfirmedState<K>> => readState(client, operation, input, call);
  const holds = (now: ConfirmedState<K>): boolean =>
    isOpen ? hasChangedAsRequested(operation, input, before, now) : isShownBy(operation, now, before);
  const state = await confirmed({ words, read, holds }, options);
  if (isReplyLost && !isOpen) {
    throw new NotConfirmedError(`${words}; the state before was not read, so that this proves nothing`, state);
  }
  const at = Date.now();
  if (!requestsCancels(operation, input)) return { state, at };
  return { state, at, openOrders: await readOpenOrders(client, String(input.projectionPath ?? ""), options) };
}

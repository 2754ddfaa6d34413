import { isShown } from "../core/operations/shown.ts";
import type { Input, OperationName, Output } from "../core/operations/table.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { type ConfirmOptions, confirmed } from "./confirmation.ts";
import { CONFIRMATIONS } from "./routes.ts";

/** Name of an operation that a read confirms. */
export type ConfirmedOperation = keyof typeof CONFIRMATIONS;

/** The read that confirms an operation. */
type ReadOf<K extends ConfirmedOperation> = (typeof CONFIRMATIONS)[K]["read"];

/** The state that a read shows, which confirms an operation. */
export type ConfirmedState<K extends ConfirmedOperation> = Output<ReadOf<K>>;

/** What {@link confirmApplied} may be given besides. */
export interface ConfirmAppliedOptions<K extends ConfirmedOperation> extends ConfirmOptions {
  /**
   * The state as it was read before the command. `disconnectFixSession` needs it to see that a session which is connected has a
   * connection of another time: the counterparty may connect again at once.
   */
  readonly before?: ConfirmedState<K> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads until the engine shows what a command was to bring about: a 200 says only that it was accepted (specification,
 * "States and transitions"), and after an `OutcomeUnknownError` the state says what is the case. Resolves with the state as it was
 * read.
 *
 * @throws NotConfirmedError when the time is over.
 * @throws AdminClientError at once for what no waiting changes: refused credentials, no such service or session.
 *
 * @example
 * await client.disableService({ name: "TWAP" });
 * const { enabled } = await confirmApplied(client, "disableService", { name: "TWAP" });
 */
export function confirmApplied<K extends ConfirmedOperation>(
  client: Pick<AdminClient, ReadOf<K>>,
  operation: K,
  input: Input<K>,
  { before, ...options }: ConfirmAppliedOptions<K> = {},
): Promise<ConfirmedState<K>> {
  const { read, target, state } = CONFIRMATIONS[operation];
  const fields = Object.fromEntries(target.map((field) => [field, (input as Fields)[field] ?? ""]));
  const method = (client as unknown as Readonly<Record<OperationName, Read>>)[read];
  const claim = {
    words: state.replace(/\{(\w+)\}/g, (_, field: string) => wordsOf(field, fields[field] ?? "")),
    read: (call: CallOptions) => method(fields, call) as Promise<ConfirmedState<K>>,
    holds: (now: ConfirmedState<K>) => isShownBy(operation, now, before),
  };
  return confirmed(claim, options);
}

/** Whether a state is what an operation brings about. */
export function isShownBy(operation: ConfirmedOperation, now: unknown, before?: unknown): boolean {
  return isShown(CONFIRMATIONS[operation].shown, now as Fields, before as Fields | undefined);
}

type Read = (input: Fields, call: CallOptions) => Promise<unknown>;

/** A field of a command's target in a sentence; an empty projection path means system-wide. */
function wordsOf(field: string, value: unknown): string {
  if (field !== "projectionPath") return JSON.stringify(value);
  return value === "" ? "system-wide" : `at ${value}`;
}

/** Waits until trading is halted at a projection path, system-wide unless given; a path's state is its own (decision D-ENG 7). */
export function confirmHalted(
  client: Pick<AdminClient, "getTradingStatus">,
  projectionPath = "",
  options?: ConfirmOptions,
): Promise<Output<"getTradingStatus">> {
  return confirmApplied(client, "haltTrading", { projectionPath }, options);
}

/** Waits until trading is not halted at a projection path, system-wide unless given. A parent may still be halted. */
export function confirmResumed(
  client: Pick<AdminClient, "getTradingStatus">,
  projectionPath = "",
  options?: ConfirmOptions,
): Promise<Output<"getTradingStatus">> {
  return confirmApplied(client, "resumeTrading", { projectionPath }, options);
}

/** Waits until a service accepts orders. */
export function confirmServiceEnabled(
  client: Pick<AdminClient, "getService">,
  name: string,
  options?: ConfirmOptions,
): Promise<Output<"getService">> {
  return confirmApplied(client, "enableService", { name }, options);
}

/** Waits until a service accepts no orders. */
export function confirmServiceDisabled(
  client: Pick<AdminClient, "getService">,
  name: string,
  options?: ConfirmOptions,
): Promise<Output<"getService">> {
  return confirmApplied(client, "disableService", { name }, options);
}

/** Waits until a FIX session may log on: its status is not `Disabled`. */
export function confirmSessionEnabled(
  client: Pick<AdminClient, "getFixSession">,
  session: Input<"getFixSession">,
  options?: ConfirmOptions,
): Promise<Output<"getFixSession">> {
  return confirmApplied(client, "enableFixSession", session, options);
}

/** Waits until a FIX session is `Disabled`. */
export function confirmSessionDisabled(
  client: Pick<AdminClient, "getFixSession">,
  session: Input<"getFixSession">,
  options?: ConfirmOptions,
): Promise<Output<"getFixSession">> {
  return confirmApplied(client, "disableFixSession", session, options);
}

/**
 * Waits until the connection that a FIX session had is gone. `before` is the session as it was read before the command:
 * the counterparty may connect again at once, and only the time of the connection distinguishes the new one from the old.
 */
export function confirmSessionDisconnected(
  client: Pick<AdminClient, "getFixSession">,
  before: Output<"getFixSession">,
  options?: ConfirmOptions,
): Promise<Output<"getFixSession">> {
  const session = { gateway: before.gatewayName, session: before.sessionId };
  return confirmApplied(client, "disconnectFixSession", session, { ...options, before });
}

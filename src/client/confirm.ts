import { CONFIRMATIONS } from "../core/operations/confirmations.ts";
import type { Input, Output } from "../core/operations/table.ts";
import { CLOCK, FLAG, ifGiven, MS, OBJECT, objectWith, oneOf, optionsOf, requireArgument } from "../core/options.ts";
import { isObject } from "../core/values/basics.ts";
import type { AdminClient } from "./client.ts";
import { type ConfirmOptions, NotConfirmedError } from "./confirmation.ts";
import { openOrdersWords } from "./open-orders.ts";
import { readProof } from "./proof.ts";
import { type ConfirmedOperation, type ConfirmedState, claimWords } from "./shown.ts";

type ReadOf<K extends ConfirmedOperation> = (typeof CONFIRMATIONS)[K]["read"];

export interface ConfirmAppliedOptions<K extends ConfirmedOperation> extends ConfirmOptions {
  /**
   * The state as it was read before the command. `disconnectFixSession` needs it to see that a session which is connected has a
   * connection of another time: the counterparty may connect again immediately.
   */
  readonly before?: ConfirmedState<K> | undefined;
  /**
   * Whether the command failed with an `OutcomeUnknownError`. Then only a state that has changed as requested since `before`, with the reason
   * that was given, confirms it: what was so before proves nothing.
   */
  readonly isReplyLost?: boolean | undefined;
}

const checked = optionsOf<ConfirmAppliedOptions<ConfirmedOperation>>("A confirmation", {
  before: ifGiven(OBJECT),
  isReplyLost: ifGiven(FLAG),
  timeoutMs: ifGiven(MS),
  intervalMs: ifGiven(MS),
  signal: ifGiven(objectWith("aborted", "AbortSignal.timeout(5_000)")),
  clock: ifGiven(CLOCK),
});

/** Options of {@link confirmHalted}, with fields of the halt to confirm. */
export interface ConfirmHaltedOptions extends ConfirmAppliedOptions<"haltTrading"> {
  /** Reason of the halt; with `isReplyLost`, only a state that shows it counts. */
  readonly reason?: string | undefined;
  /** Whether the halt requested the cancellation of working orders: no open orders at the path are waited for, five seconds at most. */
  readonly cancelOrders?: boolean | undefined;
}

/**
 * Reads until the engine shows what a command was to bring about: a 200 says only that it was accepted (specification,
 * "States and transitions"). Resolves with the state as it was read. A halt with `cancelOrders` is confirmed when open sizes of positions
 * are zero besides, for which the client needs `listPositions`: a cancel is a request, and a venue may not grant it.
 *
 * @throws NotConfirmedError when the time is over. While the engine could be read, a change that it did not show was not applied; a stop
 * that waits in an engine which hangs may still come.
 * @throws AdminClientError immediately for what no waiting changes: refused credentials, no such service or session.
 *
 * @example
 * await client.disableService({ name: "TWAP" });
 * const { enabled } = await confirmApplied(client, "disableService", { name: "TWAP" });
 */
export async function confirmApplied<K extends ConfirmedOperation>(
  client: Pick<AdminClient, ReadOf<K>> & Partial<Pick<AdminClient, "listPositions">>,
  operation: K,
  input: Input<K>,
  options: ConfirmAppliedOptions<K> = {},
): Promise<ConfirmedState<K>> {
  checkArguments(client, operation, input);
  const { state, openOrders } = await readProof(client as AdminClient, operation, input, checked(options));
  if (openOrders === undefined || openOrders.kind === "none") return state;
  throw new NotConfirmedError(`${claimWords(operation, input)}, but ${openOrdersWords(openOrders)}`, openOrders);
}

const OPERATION = oneOf(CONFIRMATIONS);

function checkArguments(client: unknown, operation: ConfirmedOperation, input: unknown): void {
  requireArgument("A confirmation", "operation", operation, OPERATION);
  requireArgument(
    "A confirmation",
    "client",
    client,
    objectWith(CONFIRMATIONS[operation].read, "createClient({ baseUrl, credentials })"),
  );
  requireArgument("A confirmation", "input", input, { like: '{ name: "TWAP" }', fits: isObject });
}

/**
 * Waits until trading is halted at a projection path, system-wide unless given; a path's state is its own. With
 * `cancelOrders`, until there are no open orders either.
 */
export function confirmHalted(
  client: Pick<AdminClient, "getTradingStatus"> & Partial<Pick<AdminClient, "listPositions">>,
  projectionPath = "",
  { reason, cancelOrders, ...options }: ConfirmHaltedOptions = {},
): Promise<Output<"getTradingStatus">> {
  return confirmApplied(client, "haltTrading", { projectionPath, reason, cancelOrders }, options);
}

/** Waits until trading is not halted at a projection path, system-wide unless given. A parent may still be halted. */
export function confirmResumed(
  client: Pick<AdminClient, "getTradingStatus">,
  projectionPath = "",
  options?: ConfirmAppliedOptions<"resumeTrading">,
): Promise<Output<"getTradingStatus">> {
  return confirmApplied(client, "resumeTrading", { projectionPath }, options);
}

/** Waits until a service accepts orders. */
export function confirmServiceEnabled(
  client: Pick<AdminClient, "getService">,
  name: string,
  options?: ConfirmAppliedOptions<"enableService">,
): Promise<Output<"getService">> {
  return confirmApplied(client, "enableService", { name }, options);
}

/** Waits until a service accepts no orders. */
export function confirmServiceDisabled(
  client: Pick<AdminClient, "getService">,
  name: string,
  options?: ConfirmAppliedOptions<"disableService">,
): Promise<Output<"getService">> {
  return confirmApplied(client, "disableService", { name }, options);
}

/** Waits until a FIX session may log on: its status is not `Disabled`. */
export function confirmSessionEnabled(
  client: Pick<AdminClient, "getFixSession">,
  session: Input<"getFixSession">,
  options?: ConfirmAppliedOptions<"enableFixSession">,
): Promise<Output<"getFixSession">> {
  return confirmApplied(client, "enableFixSession", session, options);
}

/** Waits until a FIX session is `Disabled`. */
export function confirmSessionDisabled(
  client: Pick<AdminClient, "getFixSession">,
  session: Input<"getFixSession">,
  options?: ConfirmAppliedOptions<"disableFixSession">,
): Promise<Output<"getFixSession">> {
  return confirmApplied(client, "disableFixSession", session, options);
}

/**
 * Waits until the connection that a FIX session had is gone. `before` is the session as it was read before the command:
 * the counterparty may connect again immediately, and only the time of the connection distinguishes the new one from the old.
 */
export async function confirmSessionDisconnected(
  client: Pick<AdminClient, "getFixSession">,
  before: Output<"getFixSession">,
  options?: Omit<ConfirmAppliedOptions<"disconnectFixSession">, "before">,
): Promise<Output<"getFixSession">> {
  requireArgument(
    "confirmSessionDisconnected",
    "before",
    before,
    objectWith("sessionId", "await client.getFixSession({ gateway, session })"),
  );
  const session = { gateway: before.gatewayName, session: before.sessionId };
  return confirmApplied(client, "disconnectFixSession", session, { ...options, before });
}

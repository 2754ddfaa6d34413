import type { Input, Output } from "../core/operations/table.ts";
import type { AdminClient } from "./client.ts";
import { type ConfirmOptions, confirmed } from "./confirmation.ts";

/**
 * Reads until the engine shows what a command was to bring about: a 200 says only that it was accepted (specification,
 * "States and transitions"), and after an `OutcomeUnknownError` this tells what is the case. All of them answer the state
 * as it was read, and reject with `NotConfirmedError` when the time is over.
 */

type Session = Input<"getFixSession">;
type SessionState = Output<"getFixSession">;

/** Waits until trading is halted at a projection path, system-wide unless given; a path's state is its own (D-ENG 7). */
export function confirmHalted(
  client: Pick<AdminClient, "getTradingStatus">,
  projectionPath = "",
  options?: ConfirmOptions,
): Promise<Output<"getTradingStatus">> {
  return confirmTrading(client, projectionPath, true, options);
}

/** Waits until trading is not halted at a projection path, system-wide unless given. A parent may still be halted. */
export function confirmResumed(
  client: Pick<AdminClient, "getTradingStatus">,
  projectionPath = "",
  options?: ConfirmOptions,
): Promise<Output<"getTradingStatus">> {
  return confirmTrading(client, projectionPath, false, options);
}

/** Waits until a service accepts orders. */
export function confirmServiceEnabled(
  client: Pick<AdminClient, "getService">,
  name: string,
  options?: ConfirmOptions,
): Promise<Output<"getService">> {
  return confirmService(client, name, true, options);
}

/** Waits until a service accepts no orders. */
export function confirmServiceDisabled(
  client: Pick<AdminClient, "getService">,
  name: string,
  options?: ConfirmOptions,
): Promise<Output<"getService">> {
  return confirmService(client, name, false, options);
}

/** Waits until a FIX session may log on: its status is not `Disabled`. */
export function confirmSessionEnabled(
  client: Pick<AdminClient, "getFixSession">,
  session: Session,
  options?: ConfirmOptions,
): Promise<SessionState> {
  const words = `${nameOf(session)} is enabled`;
  return confirmSession(client, session, words, ({ status }) => status !== "Disabled", options);
}

/** Waits until a FIX session is `Disabled`. */
export function confirmSessionDisabled(
  client: Pick<AdminClient, "getFixSession">,
  session: Session,
  options?: ConfirmOptions,
): Promise<SessionState> {
  const words = `${nameOf(session)} is disabled`;
  return confirmSession(client, session, words, ({ status }) => status === "Disabled", options);
}

/**
 * Waits until the connection that a FIX session had is gone. `before` is the session as it was read before the command:
 * the counterparty may connect again at once, and only the time of the connection tells the new one from the old.
 */
export function confirmSessionDisconnected(
  client: Pick<AdminClient, "getFixSession">,
  before: SessionState,
  options?: ConfirmOptions,
): Promise<SessionState> {
  const session = { gateway: before.gatewayName, session: before.sessionId };
  const isGone = ({ status, connectTimestamp }: SessionState): boolean =>
    status !== "Connected" || connectTimestamp !== before.connectTimestamp;
  return confirmSession(client, session, `${nameOf(session)} has lost its connection`, isGone, options);
}

function confirmTrading(
  client: Pick<AdminClient, "getTradingStatus">,
  projectionPath: string,
  halted: boolean,
  options: ConfirmOptions | undefined,
): Promise<Output<"getTradingStatus">> {
  const where = projectionPath === "" ? "system-wide" : `at ${projectionPath}`;
  const claim = {
    words: `trading is ${halted ? "halted" : "not halted"} ${where}`,
    read: (call: { readonly signal: AbortSignal }) => client.getTradingStatus({ projectionPath }, call),
    holds: (state: Output<"getTradingStatus">) => state.halted === halted,
  };
  return confirmed(claim, options);
}

function confirmService(
  client: Pick<AdminClient, "getService">,
  name: string,
  enabled: boolean,
  options: ConfirmOptions | undefined,
): Promise<Output<"getService">> {
  const claim = {
    words: `service ${JSON.stringify(name)} is ${enabled ? "enabled" : "disabled"}`,
    read: (call: { readonly signal: AbortSignal }) => client.getService({ name }, call),
    holds: (state: Output<"getService">) => state.enabled === enabled,
  };
  return confirmed(claim, options);
}

function confirmSession(
  client: Pick<AdminClient, "getFixSession">,
  session: Session,
  words: string,
  holds: (state: SessionState) => boolean,
  options: ConfirmOptions | undefined,
): Promise<SessionState> {
  return confirmed({ words, read: (call) => client.getFixSession(session, call), holds }, options);
}

function nameOf({ gateway, session }: Session): string {
  return `FIX session ${JSON.stringify(session)} of gateway ${JSON.stringify(gateway)}`;
}

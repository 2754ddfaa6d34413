import { CONFIRMATIONS } from "../core/operations/confirmations.ts";
import { type Confirmation, isShown } from "../core/operations/operation.ts";
import type { Input, OperationName, Output } from "../core/operations/table.ts";
import type { Fields } from "../core/values/basics.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { AdminClientError } from "./errors.ts";

/** Name of an operation that a read confirms. */
export type ConfirmedOperation = keyof typeof CONFIRMATIONS;

/** The state that a read shows, which confirms an operation. */
export type ConfirmedState<K extends ConfirmedOperation> = Output<(typeof CONFIRMATIONS)[K]["read"]>;

type CommandConfirmation = Confirmation & { readonly read: OperationName; readonly target: readonly string[] };

const TABLE: Readonly<Record<ConfirmedOperation, CommandConfirmation>> = CONFIRMATIONS;

/** Whether the operation table says which read shows that an operation has been applied. */
export function isConfirmed(operation: string): operation is ConfirmedOperation {
  return Object.hasOwn(CONFIRMATIONS, operation);
}

/** Whether a state is what an operation brings about. */
export function isShownBy(operation: ConfirmedOperation, now: unknown, before?: unknown): boolean {
  return isShown(TABLE[operation].shown, now as Fields, before as Fields | undefined);
}

/**
 * Whether a state is the work of this very command: it has changed as requested, and shows the reason that was given. What was so before, or
 * where the state before is not known, proves nothing (decision D-CLI 3).
 */
export function hasChangedAsRequested(
  operation: ConfirmedOperation,
  input: Fields,
  before: unknown,
  now: unknown,
): boolean {
  if (before === undefined) return false;
  const { repeats = [] } = TABLE[operation];
  const isAsRequested = (state: unknown): boolean =>
    isShownBy(operation, state, before) &&
    repeats.every((field) => input[field] === undefined || (state as Fields)[field] === input[field]);
  return isAsRequested(now) && !isAsRequested(before);
}

/** Whether a command requests the cancellation of working orders: its state does not show whether it succeeded. */
export function requestsCancels(operation: ConfirmedOperation, input: Fields): boolean {
  const { cancels } = TABLE[operation];
  return cancels !== undefined && input[cancels] === true;
}

/** The claim of a confirmation in words: `trading is halted at Account[GOLD]`. */
export function claimWords(operation: ConfirmedOperation, input: Fields): string {
  const target = targetOf(operation, input);
  return TABLE[operation].state.replace(/\{(\w+)\}/g, (_, field: string) => wordsOf(field, target[field] ?? ""));
}

/** A field of a command's target in a sentence; an empty projection path means system-wide. */
function wordsOf(field: string, value: unknown): string {
  if (field !== "projectionPath") return JSON.stringify(value);
  return value === "" ? "system-wide" : `at ${value}`;
}

type Read = (input: Fields, call?: CallOptions) => Promise<unknown>;

export function readState<K extends ConfirmedOperation>(
  client: Pick<AdminClient, (typeof CONFIRMATIONS)[K]["read"]>,
  operation: K,
  input: Input<K> | Fields,
  call?: CallOptions,
): Promise<ConfirmedState<K>> {
  const methods = client as unknown as Readonly<Record<string, Read>>;
  const read = methods[TABLE[operation].read] as Read;
  return read(targetOf(operation, input), call) as Promise<ConfirmedState<K>>;
}

function targetOf(operation: ConfirmedOperation, input: Fields): Fields {
  return Object.fromEntries(TABLE[operation].target.map((field) => [field, input[field] ?? ""]));
}

/** Milliseconds for which a command waits for the state before it, if at all. */
export const WAIT_BEFORE_MS = 1_000;
/** Milliseconds for which that is read. */
const READ_MS = 5_000;

/** The state before a command, which decides whether one without a response has worked. */
export interface Before {
  /** Resolves with undefined where it cannot be read. */
  readonly state: Promise<unknown>;
  /** Ends the read, when nobody wants to know any more. */
  readonly end: () => void;
}

/**
 * Reads the state before a command, when it is about to be sent. Resolves immediately, as a stop does not wait for a read; for a command that
 * only a change of the state shows, when that was read, or after `waitMs`. What is read too late shows the command's own work, and then
 * proves nothing.
 */
export async function readBefore(
  client: AdminClient,
  operation: ConfirmedOperation,
  input: Fields,
  waitMs = WAIT_BEFORE_MS,
): Promise<Before> {
  const reading = new AbortController();
  const timer = setTimeout(() => reading.abort(new Error("the state before was not read in time")), READ_MS);
  const state = readState(client, operation, input, { signal: reading.signal })
    .catch((error: unknown) => {
      if (error instanceof AdminClientError) return undefined;
      throw error;
    })
    .finally(() => clearTimeout(timer));
  if (needsStateBefore(operation)) await settledWithin(waitMs, state);
  return { state, end: () => reading.abort(new Error("the state before is no longer wanted")) };
}

async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}

/** Whether only the state before an operation shows, by what has changed, that it has been applied. */
export function needsStateBefore(operation: string): operation is ConfirmedOperation {
  return isConfirmed(operation) && TABLE[operation].shown.some((shown) => "changed" in shown);
}

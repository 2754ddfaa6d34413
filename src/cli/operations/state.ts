import type { AdminClient, CallOptions } from "../../client/client.ts";
import { type ConfirmedOperation, isShownBy } from "../../client/confirm.ts";
import { CONFIRMATIONS } from "../../client/routes.ts";
import { requestIds } from "../../core/conventions.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import type { Row } from "../output/columns.ts";
import type { OperationInput } from "./input.ts";

/** Whether the operation table says which read shows that an operation has been applied. */
export function isConfirmed(operation: OperationName): operation is ConfirmedOperation {
  return Object.hasOwn(CONFIRMATIONS, operation);
}

/** Whether only the state before an operation shows, by what has changed, that it has been applied. */
export function needsStateBefore(operation: OperationName): operation is ConfirmedOperation {
  return isConfirmed(operation) && CONFIRMATIONS[operation].shown.some((shown) => "changed" in shown);
}

type Read = (input: OperationInput, call?: CallOptions) => Promise<unknown>;

/** Reads the state that an operation acts on. */
export function readState(
  client: AdminClient,
  operation: ConfirmedOperation,
  input: OperationInput,
  call?: CallOptions,
): Promise<unknown> {
  const { read, target } = CONFIRMATIONS[operation];
  const fields = Object.fromEntries(target.map((name) => [name, input[name] ?? ""]));
  return (client[read] as Read)(fields, call);
}

/**
 * Whether the engine shows what only this command can have brought about: the state before it was known, and has changed as asked. That
 * working orders are cancelled no state shows.
 */
export function showsItsWork(operation: OperationName, input: OperationInput, before: unknown, now: unknown): boolean {
  if (before === undefined) return false;
  const [then, after] = [before, now] as [Row | null, Row | null];
  if (operation === "adjustPosition") return exactSum([then?.size as string]) !== exactSum([after?.size as string]);
  if (!isConfirmed(operation)) return false;
  if (operation !== "haltTrading") return !isShownBy(operation, before, before);
  const hasReason = (state: Row | null): boolean => input.reason === undefined || state?.reason === input.reason;
  return input.cancelOrders !== true && hasReason(after) && !(then?.halted === true && hasReason(then));
}

/** The fields of a state as people read them. */
export function stateFields(state: unknown): Row {
  if (typeof state !== "object" || state === null) return {};
  const fields = state as Row;
  return fields.projectionPath === "" ? { ...fields, projectionPath: "(system-wide)" } : fields;
}

/** An operation that the API carried out. */
export interface Accepted {
  readonly requestId: string;
  /** Epoch milliseconds: when it was asked for, and when the response was there. */
  readonly askedAt: number;
  readonly acceptedAt: number;
  readonly output: unknown;
}

type Method = (input: OperationInput, options: CallOptions) => Promise<unknown>;

const nextRequestId = requestIds();

/** Calls an operation whose name is known only now. Rejects as the client does. */
export async function send(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
  signal?: AbortSignal,
): Promise<Accepted> {
  const requestId = nextRequestId();
  const askedAt = Date.now();
  const output = await (client[operation] as unknown as Method)(input, { requestId, signal });
  return { requestId, askedAt, acceptedAt: Date.now(), output };
}

import type { AdminClient, CallOptions } from "../../client/client.ts";
import { requestIds } from "../../core/conventions.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import type { Row } from "../output/columns.ts";
import type { OperationInput } from "./input.ts";

/** The size of a position, 0 where there is none; undefined where the engine does not show it. */
export function sizeOf(position: Row | null | undefined): string | undefined {
  return position?.size === null ? undefined : exactSum([position?.size as string | undefined]);
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
  options: Pick<CallOptions, "signal" | "ifMatch"> = {},
): Promise<Accepted> {
  const requestId = nextRequestId();
  const askedAt = Date.now();
  const output = await (client[operation] as unknown as Method)(input, { requestId, ...options });
  return { requestId, askedAt, acceptedAt: Date.now(), output };
}

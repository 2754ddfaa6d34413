import type { AdminClient, AdminWarning, CallOptions } from "../../client/client.ts";
import { ReadFailedError } from "../../client/errors.ts";
import { givenReason, requestIds } from "../../core/conventions.ts";
import type { ApprovedRequest } from "../../core/records/record.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import type { Row } from "../output/columns.ts";
import type { Command } from "./describe-command.ts";
import type { OperationInput } from "./input.ts";

/** The size of a position, 0 where there is none; undefined where the engine does not show it. */
export function sizeOf(position: Row | null | undefined): string | undefined {
  return position?.size === null ? undefined : exactSum([position?.size as string | undefined]);
}

/** The fields of a state as people read them; nobody gave a reason that is the API's default. */
export function stateFields(state: unknown): Row {
  if (typeof state !== "object" || state === null) return {};
  const fields = state as Row;
  const { projectionPath, reason } = fields;
  return {
    ...fields,
    ...(projectionPath === "" && { projectionPath: "(system-wide)" }),
    ...(typeof reason === "string" && { reason: givenReason(reason) }),
  };
}

/** Message for a 200 without content, if nothing was read afterwards. */
export const NOT_SAID = "status 200 without X-Admin-Outcome: nothing says that the engine accepted it";

/** An operation that the API carried out. */
export interface Accepted {
  readonly requestId: string;
  /** Epoch milliseconds: when it was asked for, and when the response was there. */
  readonly askedAt: number;
  readonly acceptedAt: number;
  readonly output: unknown;
  /** The response is more than a 200 without content, which anything on the way could give. */
  readonly isSaid: boolean;
  /** The request of another user that it approves. */
  readonly approves?: ApprovedRequest | undefined;
}

type Call = Command & Pick<CallOptions, "signal" | "ifMatch">;

type Method = (input: OperationInput, options: CallOptions) => Promise<unknown>;

const nextRequestId = requestIds();

/** Calls an operation whose name is known only now. Rejects as the client does. */
export async function send(client: AdminClient, call: Call): Promise<Accepted> {
  const { operation, input, signal, ifMatch } = call;
  const requestId = nextRequestId();
  const askedAt = Date.now();
  let outcome: "applied" | undefined;
  let approves: ApprovedRequest | undefined;
  const listeners: Pick<CallOptions, "onOutcome" | "onApproval"> = {
    onOutcome: (said) => {
      outcome = said;
    },
    onApproval: (request) => {
      approves = request;
    },
  };
  const output = await (client[operation] as unknown as Method)(input, { requestId, ...listeners, signal, ifMatch });
  const isSaid = outcome !== undefined || output !== null;
  return { requestId, askedAt, acceptedAt: Date.now(), output, isSaid, approves };
}

/**
 * Reads a state that a decision depends on: a row that the gateway leaves out, because the engine's values break the contract, must
 * not pass for one that does not exist. `isEnough` says whether a partial state has what is needed; by default none has.
 *
 * @throws ReadFailedError for a part of the state that is not enough.
 */
export async function readWhole<T>(
  read: (call: Pick<CallOptions, "onWarning">) => Promise<T>,
  isEnough: (part: T) => boolean = () => false,
): Promise<T> {
  let warning: AdminWarning | undefined;
  const value = await read({
    onWarning: (given) => {
      warning = given;
    },
  });
  if (warning === undefined || isEnough(value)) return value;
  const { operation, requestId, message } = warning;
  throw new ReadFailedError({ operation, requestId, reason: `what is there cannot be read as a whole. ${message}` });
}

import type { AdminWarning, CallOptions } from "../../client/client.ts";
import { ReadFailedError } from "../../client/errors.ts";

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

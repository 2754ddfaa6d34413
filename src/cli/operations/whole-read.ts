import type { AdminWarning, CallOptions } from "../../client/client.ts";
import { ReadFailedError } from "../../client/errors.ts";

/**
 * Reads what something is decided by: a row that the gateway leaves out, as the engine's values break the contract, is no row that there is
 * not. `isEnough` says of a part whether it has what is needed; none has unless given.
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

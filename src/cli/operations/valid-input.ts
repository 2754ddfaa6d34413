import { AdminError } from "../../core/errors.ts";
import { buildOperations, type OperationName } from "../../core/operations/table.ts";
import { parseInput } from "../../core/validation/validation.ts";
import { ANY_PROJECTION_KEY } from "../../core/values/projection.ts";
import { UsageError } from "../exit-codes.ts";
import type { OperationInput } from "./input.ts";

/**
 * Refuses JSON that no gateway takes, before a preview is made of it. Which keys and how many commands an installation has is the
 * gateway's to say.
 *
 * @throws UsageError that names each faulty field.
 */
export function refuseInvalid(operation: OperationName, input: OperationInput): void {
  const table = buildOperations(ANY_PROJECTION_KEY, Number.POSITIVE_INFINITY);
  try {
    parseInput(table[operation], input, "reject");
  } catch (error) {
    if (error instanceof AdminError) throw new UsageError(`${error.message}; nothing was sent`);
    throw error;
  }
}

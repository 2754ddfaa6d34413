import { AdminError } from "../errors.ts";
import { entityTagOf } from "../load/output-form.ts";
import type { OperationName } from "../operations/table.ts";
import type { Fields } from "../values/basics.ts";
import type { Call } from "./call.ts";
import type { Reads } from "./reads.ts";

/**
 * Compares the state that a change is conditional on with what its caller has seen. The engine is read by `due`, monotonic milliseconds.
 * Throws `PRECONDITION_FAILED`, and for a state that cannot be read what says that nothing was sent (decision D-HTTP 38).
 */
export async function checkIfMatch(reads: Reads, call: Call, input: Fields, due: number): Promise<void> {
  const { operation, context } = call;
  if (!context.ifMatch || operation.ifMatch === undefined) return;
  const target = Object.fromEntries(operation.target.map((field) => [field, input[field]]));
  const present = await entityTagNow(reads, call, operation.ifMatch as OperationName, target, due);
  if (context.ifMatch(present)) return;
  throw new AdminError(
    "PRECONDITION_FAILED",
    `The state is not the one that If-Match names: ${operation.ifMatch} shows another one now; nothing was sent`,
  );
}

async function entityTagNow(
  reads: Reads,
  call: Call,
  name: OperationName,
  input: Fields,
  due: number,
): Promise<string> {
  try {
    return entityTagOf(await reads.json(call, name, input, due));
  } catch (cause) {
    const { code, outcome } = AdminError.from(cause);
    if (outcome !== "unknown") throw cause;
    const why = code === "ENGINE_TIMEOUT" ? "in time" : "completely";
    const message = `The state that If-Match names could not be read ${why}; nothing was sent`;
    throw new AdminError(code === "ENGINE_TIMEOUT" ? "ENGINE_UNAVAILABLE" : "INTERNAL", message, { cause });
  }
}

import type { EngineContext } from "../core/engine/transport.ts";
import type { EngineInput, OperationName, Output } from "../core/operations/table.ts";

/**
 * An engine: one method for each operation, typed from the operation table. A method returns the operation's
 * output (`null` where the answer is empty) or throws {@link EngineRejection}.
 */
export type Engine = {
  [K in OperationName]: (input: EngineInput<K>, context: EngineContext) => Output<K> | Promise<Output<K>>;
};

/**
 * An engine refuses a request: `rejected` with the reason as its message, or `not-found` for an unknown resource.
 *
 * @example
 * throw new EngineRejection("not-found", `Unknown service "${name}"`);
 */
export class EngineRejection extends Error {
  readonly refusal: "rejected" | "not-found";

  constructor(refusal: "rejected" | "not-found", message: string) {
    super(message);
    this.name = "EngineRejection";
    this.refusal = refusal;
  }
}

import type { EngineContext, EngineRefusal } from "../core/engine/transport.ts";
import type { EngineInput, OperationName, Output } from "../core/operations/table.ts";

/**
 * An engine: one method for each operation, typed from the operation table. A method returns the operation's
 * output (`null` where the reply is empty) or throws {@link EngineRejection}.
 */
export type Engine = {
  [K in OperationName]: (input: EngineInput<K>, context: EngineContext) => Output<K> | Promise<Output<K>>;
};

/** Why an engine refuses; nothing was changed. */
export type RejectionKind = Exclude<EngineRefusal, "internal">;

/**
 * An engine refuses a request and has changed nothing: `rejected` with the reason as its message (400), `not-found` for an unknown
 * resource (404), `unsupported` for an operation that it does not have (400), `overloaded` (429), `unavailable` (503).
 *
 * @example
 * throw new EngineRejection("not-found", `Unknown service "${name}"`);
 */
export class EngineRejection extends Error {
  readonly refusal: RejectionKind;

  constructor(refusal: RejectionKind, message: string) {
    super(message);
    this.name = "EngineRejection";
    this.refusal = refusal;
  }
}

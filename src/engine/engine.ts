import type { EngineContext, EngineRefusal } from "../core/engine/transport.ts";
import type { EngineReadName } from "../core/operations/engine-reads.ts";
import type { BusInput, BusMethod, BusOutput, OperationName } from "../core/operations/table.ts";
import { oneOf, requireArgument } from "../core/options.ts";

/** One method of an {@link Engine}. */
export type EngineMethod<K extends BusMethod> = (
  input: BusInput<K>,
  context: EngineContext,
) => BusOutput<K> | Promise<BusOutput<K>>;

/**
 * An engine: one method for each operation, typed from the operation table. A method returns the operation's
 * output (`null` where the reply is empty) or throws {@link EngineRejection}. It may have `listHalts` and `describeEngine` besides.
 */
export type Engine = { [K in OperationName]: EngineMethod<K> } & { [K in EngineReadName]?: EngineMethod<K> };

/** Why an engine refuses; nothing was changed. */
export type RejectionKind = Exclude<EngineRefusal, "not-understood" | "internal">;

const KINDS: Readonly<Record<RejectionKind, true>> = {
  rejected: true,
  "not-found": true,
  "stop-came-first": true,
  unsupported: true,
  overloaded: true,
  unavailable: true,
};

const KIND = oneOf(KINDS);

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
    requireArgument("EngineRejection", "refusal", refusal, KIND);
    super(message);
    this.name = "EngineRejection";
    this.refusal = refusal;
  }
}

import type { EngineLink } from "../engine/engine-link.ts";
import { type Input, type OperationName, type Operations, type Output, operationRecord } from "../operations/table.ts";
import { principal } from "../principal.ts";
import type { Fields } from "../values/basics.ts";
import type { Call } from "./call.ts";
import type { Reads } from "./reads.ts";

export interface OwnReadsOptions {
  readonly operations: Operations;
  readonly reads: Reads;
  readonly link: EngineLink;
  /** Name of this gateway, as whose user the engine is read. */
  readonly gateway: string;
}

/** Reads that nobody asked for: in the read lane, as a user of the gateway's own name, and no `call` of anybody. */
export class OwnReads {
  readonly #options: OwnReadsOptions;

  constructor(options: OwnReadsOptions) {
    this.#options = options;
  }

  /** Rejects with `AdminError`. */
  async read<K extends OperationName>(name: K, input: Input<K>): Promise<Output<K>> {
    const { operations, reads, link, gateway } = this.#options;
    const call: Call = {
      id: "",
      name,
      operation: operationRecord(operations, name),
      principal: principal(gateway),
      requestId: crypto.randomUUID(),
      context: {},
      arrival: { place: 0, at: 0 },
    };
    return (await reads.state(call, name, input as Fields, link.due())) as Output<K>;
  }
}

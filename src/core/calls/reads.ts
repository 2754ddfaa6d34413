import type { EngineLink, MayLeave } from "../engine/engine-link.ts";
import type { Gate } from "../load/gate.ts";
import { asValue, formed, type OutputForm } from "../load/output-form.ts";
import { atOnce } from "../load/steps.ts";
import type { Direction, StateBefore } from "../operations/operation.ts";
import { type OperationName, type Operations, operationRecord } from "../operations/table.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import { type Fields, isThenable } from "../values/basics.ts";
import type { Call, InputSource } from "./call.ts";
import { checkedInput, checkPermission } from "./checks.ts";
import { checkedOutput, engineRequest, resultOf } from "./reply.ts";

export interface ReadsOptions {
  readonly link: EngineLink;
  readonly gate: Gate;
  readonly operations: Operations;
  readonly unknownFields: UnknownFields;
}

/** Carries out reads. */
export class Reads {
  readonly #options: ReadsOptions;

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /**
   * Checks permission and input, sends the read and brings the checked output into a form: synchronously where the engine replies so,
   * since promises cost such a read a third of its time.
   */
  run<T>(call: Call, source: InputSource, form: OutputForm<T>): T | Promise<T> {
    checkPermission(call);
    const send = (raw: unknown): T | Promise<T> =>
      this.#send(call, raw, this.#options.link.deadline(), form, call.context);
    const raw = source.read();
    return isThenable(raw) ? Promise.resolve(raw).then(send) : send(raw);
  }

  /** Reads the state that a change acts on, with the caller's identity, and derives the direction of the change. */
  async directionOf(change: Call, before: StateBefore, input: Fields, deadline: number): Promise<Direction> {
    const { operations, gate } = this.#options;
    const name = before.operation as OperationName;
    const read: Call = { ...change, id: change.requestId, name, operation: operationRecord(operations, name) };
    // A change is carried out although its caller has left.
    const state = await this.#send(read, before.input(input), deadline, asValue);
    return gate.steps(change.principal.name, before.direction(input, state));
  }

  #send<T>(call: Call, raw: unknown, deadline: number, form: OutputForm<T>, caller?: MayLeave): T | Promise<T> {
    const { link, gate, unknownFields } = this.#options;
    const { prepared } = atOnce(checkedInput(call, raw, unknownFields));
    return link.read(
      engineRequest(call, prepared.input, deadline),
      (reply) => formed(gate, call.principal.name, resultOf(reply), form, (part) => checkedOutput(call, part)),
      caller,
    );
  }
}

import type { EngineLink, MayLeave } from "../engine/engine-link.ts";
import type { Gate } from "../load/gate.ts";
import { asJson, asValue, formed, type JsonOutput, type OutputForm } from "../load/output-form.ts";
import type { Direction, StateBefore } from "../operations/operation.ts";
import {
  type BusMethod,
  busRecord,
  type CallName,
  type Input,
  type OperationName,
  type Operations,
  type Output,
  operationRecord,
} from "../operations/table.ts";
import { principal } from "../principal.ts";
import type { AuditRecord } from "../records/record.ts";
import { recordedRows } from "../records/record-size.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import { InvalidFields } from "../validation/invalid-fields.ts";
import type { Fields } from "../values/basics.ts";
import type { Call, InputSource } from "./call.ts";
import { checkedInput, checkPermission } from "./checks.ts";
import { checkedOutput, conformingOutput, engineRequest, resultOf } from "./reply.ts";

export interface ReadsOptions {
  readonly link: EngineLink;
  readonly gate: Gate;
  readonly operations: Operations;
  readonly unknownFields: UnknownFields;
  /** Name of this gateway, as whose user the engine is read for it. */
  readonly gateway: string;
}

/** Direction of a change, and the state that it replaces. */
export interface FoundBefore {
  readonly direction: Direction;
  /** Absent where the state could not be read. */
  readonly before?: AuditRecord["before"];
}

/** Checks a result, or some of its rows. */
type CheckOutput = typeof checkedOutput;

/** What happens to a reply. Without the caller the read is sent although they have left. */
interface Use<T> {
  readonly form: OutputForm<T>;
  readonly check: CheckOutput;
  readonly caller?: MayLeave;
}

export class Reads {
  readonly #options: ReadsOptions;

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /** Checks permission and input, sends the read and brings the checked output into a form. */
  async run<T>(call: Call, source: InputSource, form: OutputForm<T>): Promise<T> {
    checkPermission(call);
    const raw = await source.read();
    return this.#send(call, raw, this.#options.link.due(), { form, check: checkedOutput, caller: call.context });
  }

  /** Reads a state for a call that needs it: with its caller's identity, by when it is `due` (monotonic milliseconds). */
  async state(
    of: Call<CallName>,
    name: BusMethod,
    input: Fields,
    due: number,
    check: CheckOutput = checkedOutput,
  ): Promise<unknown> {
    of.invalid ??= new InvalidFields();
    return await this.#send(this.#callFor(of, name), input, due, { form: asValue, check });
  }

  /** Reads a state as its caller is shown it over HTTP. A state of which a part cannot be shown is an error: nothing is decided by a part. */
  async json(of: Call<CallName>, name: OperationName, input: Fields, due: number): Promise<JsonOutput> {
    return await this.#send(this.#callFor(of, name), input, due, { form: asJson, check: conformingOutput });
  }

  /** Reads the state that a change acts on, with the caller's identity, and derives the direction of the change and what it replaces. */
  async stateBefore(change: Call, before: StateBefore, input: Fields, due: number): Promise<FoundBefore> {
    const name = before.operation as OperationName;
    // Nothing is decided by a part of a state.
    const state = await this.state(change, name, before.input(input), due, conformingOutput);
    return { direction: before.direction(input, state), before: recordedRows(before.rows(input, state)) };
  }

  #callFor(of: Call<CallName>, name: BusMethod): Call<BusMethod> {
    return { ...of, id: of.requestId, name, operation: busRecord(this.#options.operations, name) };
  }

  #send<T>(call: Call<BusMethod>, raw: unknown, due: number, { form, check, caller }: Use<T>): Promise<T> {
    const { link, gate, unknownFields } = this.#options;
    const { prepared } = checkedInput(call, raw, unknownFields);
    return link.read(
      engineRequest(call, prepared.input, due),
      (reply) => formed(gate, call.principal.name, resultOf(call.name, reply), form, (part) => check(call, part)),
      caller,
    );
  }

  /**
   * Reads what nobody asked for: in the read lane, as a user of the gateway's own name, and no `call` of anybody. Rejects with
   * `AdminError`.
   */
  async own<K extends OperationName>(name: K, input: Input<K>): Promise<Output<K>> {
    const { operations, link, gateway } = this.#options;
    const call: Call = {
      id: "",
      name,
      operation: operationRecord(operations, name),
      principal: principal(gateway),
      requestId: crypto.randomUUID(),
      context: {},
      arrival: { place: 0, at: 0 },
    };
    return (await this.state(call, name, input as Fields, link.due())) as Output<K>;
  }
}

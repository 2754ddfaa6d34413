import type { EngineLink } from "../engine/engine-link.ts";
import type { Gate } from "../load/gate.ts";
import { longList } from "../load/long-list.ts";
import type { OutputForm } from "../load/output-form.ts";
import type { Call } from "./call.ts";
import { checkedOutput, engineRequest, resultOf } from "./reply.ts";

/** Sends reads to the engine and checks what comes back, long lists in steps. */
export class Reads {
  readonly #link: EngineLink;
  readonly #gate: Gate;

  constructor(link: EngineLink, gate: Gate) {
    this.#link = link;
    this.#gate = gate;
  }

  /** Sends a read whose input is valid; the reply has to be there by `deadline`, epoch milliseconds. */
  send<T>(call: Call, input: unknown, deadline: number, form: OutputForm<T>): Promise<T> {
    return this.#link.read(engineRequest(call, input, deadline), (reply) => this.output(call, resultOf(reply), form));
  }

  /** Checks a result and brings it into a form; throws `ENGINE_FAILED` for what is no output of the operation. */
  output<T>(call: Call, result: unknown, form: OutputForm<T>): T | Promise<T> {
    const list = longList(result);
    if (!list) return form.whole(checkedOutput(call, result));
    return this.#gate.steps(
      call.principal.name,
      form.inSteps(list, (part) => checkedOutput(call, part)),
    );
  }
}

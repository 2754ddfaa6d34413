import type { Gate } from "../load/gate.ts";
import { formed, type OutputForm } from "../load/output-form.ts";
import type { ExtensionName } from "../operations/extensions.ts";
import type { Output } from "../operations/table.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import type { Fields } from "../values/basics.ts";
import type { Call, InputSource } from "./call.ts";
import { checkedInput, checkPermission } from "./checks.ts";
import { checkedOutput } from "./reply.ts";

/** Answers each operation beyond the specification, from a valid input. */
export type Answers = {
  readonly [K in ExtensionName]: (call: Call<ExtensionName>, input: Fields) => Output<K> | Promise<Output<K>>;
};

interface ExtensionCallsOptions {
  readonly answers: Answers;
  readonly gate: Gate;
  readonly unknownFields: UnknownFields;
}

/** Makes what carries out operations beyond the specification: checked as reads are, but answered here and not by a message to the engine. */
export function extensionCalls({ answers, gate, unknownFields }: ExtensionCallsOptions) {
  return async <T>(call: Call<ExtensionName>, source: InputSource, form: OutputForm<T>): Promise<T> => {
    checkPermission(call);
    const { prepared } = checkedInput(call, await source.read(), unknownFields);
    const output = await answers[call.name](call, prepared.input);
    return formed(gate, call.principal.name, output, form, (part) => checkedOutput(call, part));
  };
}

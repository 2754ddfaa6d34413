import { extensions } from "../../src/core/operations/extensions.ts";
import { type CallName, callRecords, operations } from "../../src/core/operations/table.ts";

const EXAMPLES: ReadonlyMap<string, unknown> = new Map(
  [...callRecords({ operations, extensions })].map(([name, { examples }]) => [name, examples[0]?.output]),
);

/** What the documented example of a call replies with, some of its fields being others. */
export function exampleReply(name: CallName, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const output = EXAMPLES.get(name);
  const row = Array.isArray(output) ? output[0] : output;
  return { ...(row as object), ...fields };
}

import type { Row } from "../output/columns.ts";
import type { Format } from "../output/format.ts";
import { printRecord, printRows, write } from "../output/print.ts";
import type { CommandResult } from "./deed.ts";
import { OUTPUT_KINDS } from "./output-kinds.ts";
import { stateFields } from "./state.ts";
import { printedList } from "./views.ts";

/** Prints what became of a command on standard output: one object, or for people its times and the state at the end. */
export async function printFields(result: CommandResult, format: Format): Promise<void> {
  const { operation, state } = result;
  if (format === "csv") return printRecord({ value: result, record: flat(result) }, format);
  const list = state === null ? undefined : printedList(operation, state);
  const record = { ...timesOf(result), ...(list ? {} : stateFields(state)) };
  await printRecord({ value: result, record, kinds: OUTPUT_KINDS[operation] }, format);
  if (!list || format === "json" || format === "yaml") return;
  write("\n");
  await printRows(list, format);
}

function timesOf({ outcome, message, askedAt, acceptedAt, seenAt, requestId }: CommandResult): Row {
  const head = outcome === "done" ? { done: message } : { outcome };
  return { ...head, asked: askedAt, accepted: acceptedAt, seen: seenAt, "request id": requestId };
}

function flat({ input, state, ...others }: CommandResult): Row {
  return { ...others, input: JSON.stringify(input), state: JSON.stringify(state) };
}

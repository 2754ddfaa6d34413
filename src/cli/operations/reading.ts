import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Options } from "../command/definition.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { Row } from "../output/columns.ts";
import { formatOf } from "../output/format.ts";
import { printRecord, printRows } from "../output/print.ts";
import { complain } from "../terminal/say.ts";
import { failureWords } from "./deed.ts";
import type { OperationInput } from "./input.ts";
import { meantName } from "./names.ts";
import { OUTPUT_KINDS } from "./output-kinds.ts";
import { stateFields } from "./state.ts";
import { printedList } from "./views.ts";

/** Prints the output of a read. */
export async function printRead(operation: OperationName, value: unknown, options: Options): Promise<void> {
  const list = printedList(operation, value);
  if (list) return printRows(list, formatOf(options));
  const format = formatOf(options);
  const record = format === "csv" ? (value as Row) : stateFields(value);
  await printRecord({ value, record, kinds: OUTPUT_KINDS[operation] }, format);
}

/** Runs a read, and says of one that fails what was wrong and what was perhaps meant. Returns the exit code. */
export async function reading(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
  work: () => Promise<void>,
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    complain(`${failureWords(operation, error)}${await meantName(client, input, error)}`);
    return exitCodeOf(error);
  }
}

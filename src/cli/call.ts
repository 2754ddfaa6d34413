import { text } from "node:stream/consumers";
import { AdminClientError } from "../client/errors.ts";
import { ROUTES } from "../client/routes.ts";
import type { MutationOutcome } from "../core/errors.ts";
import type { OperationName } from "../core/operations/table.ts";
import { didYouMeanOneOf } from "../core/values/near-names.ts";
import { connect } from "./connection/connect.ts";
import { EXIT } from "./exit-codes.ts";
import type { Run } from "./framework/definition.ts";
import { objectOf } from "./operations/input.ts";
import { warnOfWildcards } from "./operations/path.ts";
import { NOT_SAID, send } from "./operations/state.ts";
import { jsonText } from "./output/format.ts";
import { printError, printInfo } from "./terminal/messages.ts";
import { write } from "./terminal/output.ts";

/** Exit codes of failures. When it is not known whether a command was applied, a script must look before it does anything else. */
const EXIT_CODES: Readonly<Record<MutationOutcome, number>> = {
  applied: EXIT.done,
  "not-applied": EXIT.failed,
  unknown: EXIT.unknown,
};

/**
 * Calls an operation of a gateway and prints its output as JSON. The input is its flat input as JSON, `-` for that on standard
 * input. A failure is printed on standard error; the exit code is 1 when nothing was changed, 3 when that is not known, 7 when
 * the response to a command says nothing, and 0 when a command was applied although its response is an error: it must not be repeated.
 */
export const run: Run = async ({ arguments: { operation = "", input = "{}" }, options }) => {
  try {
    const fields = objectOf("the input", input === "-" ? await text(process.stdin) : String(input));
    const name = nameOf(String(operation));
    warnOfWildcards(fields);
    const { client } = await connect(options);
    const { output, isSaid } = await send(client, { operation: name, input: fields });
    if (output !== null) write(jsonText(output));
    else if (isSaid) printInfo(`${name}: accepted by the engine, whose state is the proof`);
    if (isSaid) return EXIT.done;
    printError(`${name}: ${NOT_SAID}`);
    return EXIT.notProven;
  } catch (error) {
    printError((error as Error).message);
    return error instanceof AdminClientError ? EXIT_CODES[error.outcome ?? "not-applied"] : EXIT.failed;
  }
};

function nameOf(operation: string): OperationName {
  const names = Object.keys(ROUTES) as OperationName[];
  const name = names.find((known) => known === operation);
  if (name) return name;
  throw new Error(`no operation is called ${JSON.stringify(operation)}${didYouMeanOneOf(operation, names)}`);
}

import { text } from "node:stream/consumers";
import type { AdminClient } from "../client/client.ts";
import { AdminClientError } from "../client/errors.ts";
import { ROUTES } from "../client/routes.ts";
import type { MutationOutcome } from "../core/errors.ts";
import type { OperationName } from "../core/operations/table.ts";
import { isObject } from "../core/values/basics.ts";
import type { Run } from "./command/definition.ts";
import { connect } from "./connection/connect.ts";
import { suggestion } from "./suggestion.ts";
import { complain } from "./terminal/say.ts";

/** Exit codes of failures. When it is not known whether a command was applied, a script must look before it does anything else. */
const EXIT_CODES: Readonly<Record<MutationOutcome, number>> = { applied: 0, "not-applied": 1, unknown: 3 };

/**
 * Calls an operation of a gateway and prints its output as JSON. The input is its flat input as JSON, `-` for that on standard
 * input. A failure is printed on standard error; the exit code is 1 when nothing was changed, 3 when that is not known, and 0 when
 * a command was applied although its response is an error: it must not be repeated.
 */
export const run: Run = async ({ arguments: { operation = "", input = "{}" }, options }) => {
  try {
    const fields = parsed(input === "-" ? await text(process.stdin) : String(input));
    const name = nameOf(String(operation));
    const { client } = await connect(options);
    const output = await (client[name] as Method)(fields);
    if (output !== null) process.stdout.write(`${JSON.stringify(output, null, 2)}\n`);
    return 0;
  } catch (error) {
    complain((error as Error).message);
    return error instanceof AdminClientError ? EXIT_CODES[error.outcome ?? "not-applied"] : 1;
  }
};

type Method = (input: Readonly<Record<string, unknown>>) => Promise<Awaited<ReturnType<AdminClient[OperationName]>>>;

function nameOf(operation: string): OperationName {
  const names = Object.keys(ROUTES) as OperationName[];
  const name = names.find((known) => known === operation);
  if (name) return name;
  throw new Error(`no operation is called ${JSON.stringify(operation)}${suggestion(operation, names)}`);
}

function parsed(input: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (cause) {
    throw new Error(`the input is no JSON: ${(cause as Error).message}`, { cause });
  }
  if (isObject(value)) return value;
  throw new Error('the input has to be a JSON object, such as {"reason":"drill"}');
}

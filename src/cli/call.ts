import { text } from "node:stream/consumers";
import { type AdminClient, createClient } from "../client/client.ts";
import { AdminClientError } from "../client/errors.ts";
import { type OperationName, operationNames } from "../core/operations/table.ts";
import { isObject } from "../core/values/is-object.ts";
import { type ConnectionOptions, credentialsOf } from "./connection.ts";

/** Exit code when nobody knows whether a command was applied: a script must look before it does anything else. */
const OUTCOME_UNKNOWN = 3;

/**
 * Calls an operation of a gateway and prints its output as JSON. `input` is its flat input as JSON, `-` for that on standard
 * input. A failure is told on standard error; the exit code is 1 when nothing was changed, 3 when that is not known.
 */
export async function callOperation(operation: string, input: string, options: ConnectionOptions): Promise<void> {
  const fields = parsed(input === "-" ? await text(process.stdin) : input);
  const client = createClient({
    baseUrl: options.url,
    credentials: credentialsOf(options, process.env),
    onWarning: ({ message }) => process.stderr.write(`trading-admin: warning: ${message}\n`),
  });
  const name = nameOf(operation);
  try {
    const output = await (client[name] as Method)(fields);
    if (output !== null) process.stdout.write(`${JSON.stringify(output, null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    process.stderr.write(`trading-admin: ${error.message}\n`);
    process.exitCode = error.outcome === "unknown" ? OUTCOME_UNKNOWN : 1;
  }
}

type Method = (input: Readonly<Record<string, unknown>>) => Promise<Awaited<ReturnType<AdminClient[OperationName]>>>;

function nameOf(operation: string): OperationName {
  const name = operationNames.find((known) => known === operation);
  if (name) return name;
  throw new Error(`no operation is called ${JSON.stringify(operation)}; there are ${operationNames.join(", ")}`);
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

import { STATUS_CODES } from "node:http";
import { createClient } from "../../src/client/client.ts";
import { AdminClientError } from "../../src/client/errors.ts";
import type { OperationName } from "../../src/core/operations/table.ts";

/** A method of the client, its types forgotten: the suites send what the types forbid. */
type Method = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/**
 * Calls an operation through the typed client, and gives back what it answers or throws as the status and the body that
 * it stands for.
 */
export async function callByClient(
  url: string,
  authorization: string,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly status: number; readonly body: string }> {
  const { origin, pathname } = new URL(url);
  const credentials = { authorization: () => authorization };
  const client = createClient({ baseUrl: origin, basePath: pathname, credentials, retryReads: false });
  try {
    const output = await (client[name] as Method)(input);
    return { status: 200, body: output === null ? "" : JSON.stringify(output) };
  } catch (error) {
    if (!(error instanceof AdminClientError) || error.status === undefined) throw error;
    const { status, reason: message } = error;
    const body = status === 401 ? "" : JSON.stringify({ status, error: STATUS_CODES[status], message });
    return { status, body };
  }
}

import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { Options } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { UsageError } from "../exit-codes.ts";

/**
 * What the engine says of the projections by which it lists positions. None does by the root (decision D-ENG 9), so it refuses that, and may
 * name those that it has; undefined where it says nothing.
 */
export async function offeredProjections(client: AdminClient): Promise<string | undefined> {
  try {
    await client.listPositions({ projection: "" });
    return undefined;
  } catch (error) {
    if (error instanceof AdminClientError) return error.status === 400 ? error.reason : undefined;
    throw error;
  }
}

/** What is wrong with a list of positions without a projection, with what the engine says of those that it has. */
export async function missingProjection(options: Options): Promise<UsageError> {
  const example = "missing: <projection>, such as Account/Symbol";
  try {
    const offered = await offeredProjections((await connect(options)).client);
    return new UsageError(offered === undefined ? example : `${example}; the engine says: ${offered}`);
  } catch (error) {
    if (error instanceof UsageError) return new UsageError(example);
    throw error;
  }
}

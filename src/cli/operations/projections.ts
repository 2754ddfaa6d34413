import { describedEngine } from "../../client/engine-description.ts";
import { offeredProjections } from "../../client/position-projections.ts";
import type { Options } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { UsageError } from "../exit-codes.ts";

/** What is wrong with a list of positions without a projection, with what the engine says of those that it has. */
export async function missingProjection(options: Options): Promise<UsageError> {
  const example = "missing: <projection>, such as Account/Symbol";
  try {
    const { client } = await connect(options);
    const described = (await describedEngine(client))?.positionProjections;
    if (described) return new UsageError(`${example}; the engine has: ${described.join(", ") || "none"}`);
    const offered = await offeredProjections(client);
    return new UsageError(offered === undefined ? example : `${example}; the engine says: ${offered}`);
  } catch (error) {
    if (error instanceof UsageError) return new UsageError(example);
    throw error;
  }
}

import { AdminClientError } from "../../client/errors.ts";
import type { Output } from "../../core/operations/table.ts";
import { lackWords } from "../../core/principal.ts";
import type { Connection } from "../connection/connect.ts";
import type { Options } from "../framework/definition.ts";
import { isAsked } from "./confirm-change.ts";
import { type Command, type CommandResult, deniedWords } from "./describe-command.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { commandResult, notTried } from "./result.ts";

const UNAUTHORIZED = 401;

/**
 * Results of commands of one operation that a person would be asked about in vain, as the user lacks its permission: those that the gateway's
 * 403 would give. None where nobody is asked, and where the gateway does not say who the caller is: then it decides.
 */
export async function deniedBeforeAsking(
  connection: Connection,
  commands: readonly Command[],
  options: Options,
): Promise<CommandResult[]> {
  const permission = commands[0] && OPERATION_FACTS[commands[0].operation].permission;
  if (permission === undefined || !isAsked(options)) return [];
  const user = await caller(connection);
  // Another read would be refused as well, and each such login counts against user and address.
  if (user instanceof AdminClientError)
    return Promise.all(commands.map((command) => notTried(connection.client, command, user)));
  if (!user || user.permissions.includes(permission)) return [];
  const words = deniedWords(lackWords(user.name, permission));
  return commands.map((command) => commandResult(command, "denied", words));
}

/** Who the caller is; undefined where the gateway does not say, or the error with which it refused their credentials. */
async function caller({ polling }: Connection): Promise<Output<"whoami"> | AdminClientError | undefined> {
  try {
    return await polling.whoami({});
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    return error.status === UNAUTHORIZED ? error : undefined;
  }
}

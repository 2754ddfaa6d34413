import type { AwaitedCommand, GivenCommand, PageRecords } from "../../console/records.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { confirmationWords } from "../../core/records/second-person.ts";
import { isObject } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { type Command, describeCommand } from "./describe-command.ts";

type Waiting = GivenCommand & { readonly awaited: AwaitedCommand };

/**
 * Says of changes whose requests they would confirm, by the records of the gateway's console; nothing where that is not served. Whether a
 * request still counts, the gateway decides.
 */
export async function confirmationLines(connection: Connection, commands: readonly Command[]): Promise<string[]> {
  const now = Date.now();
  const waiting = waitingIn(await connection.consoleRecords()).filter(({ awaited }) => awaited.until > now);
  if (waiting.length === 0) return [];
  // Loaded only here: it needs zod.
  const { changeKey } = await import("../../core/records/waiting.ts");
  const keyOf = ({ operation, input }: Command): string => changeKey(operation, given(input));
  return commands.flatMap((command) => {
    const same = waiting.filter(
      ({ awaited: { operation, input } }) => keyOf({ operation: operation as OperationName, input }) === keyOf(command),
    );
    const request = same.find(({ awaited }) => !awaited.isOwn) ?? same[0];
    if (!request) return [];
    const words = confirmationWords({ ...request, ...request.awaited }, now);
    return [commands.length === 1 ? words : `${describeCommand(command)}: ${words}`];
  });
}

/** The gateway may be of another version. */
function waitingIn(records: unknown): Waiting[] {
  const { commands } = (isObject(records) ? records : {}) as Partial<PageRecords>;
  if (!Array.isArray(commands)) return [];
  return commands.filter(({ awaited }) => isObject(awaited) && isObject(awaited.input));
}

/** An input without what is as if it were not there: records have the defaults, too. */
function given(input: Command["input"]): Command["input"] {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== "" && value !== false));
}

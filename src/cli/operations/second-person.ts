import type { AwaitedCommand, GivenCommand, PageRecords } from "../../console/records.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { CONFIRMATION_UNKNOWN, confirmationWords } from "../../core/records/second-person.ts";
import { isObject } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { type Command, describeCommand } from "./describe-command.ts";

type Waiting = GivenCommand & { readonly awaited: AwaitedCommand };

/**
 * Says of changes whose requests they would confirm, by the records of the gateway's console; where they cannot be read, that one may
 * wait. Whether a request still counts, the gateway decides.
 */
export async function confirmationLines(connection: Connection, commands: readonly Command[]): Promise<string[]> {
  const now = Date.now();
  const recorded = await recordedCommands(connection);
  if (!recorded) return [CONFIRMATION_UNKNOWN];
  const waiting = recorded.filter(isWaiting).filter(({ awaited }) => awaited.until > now);
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

/** The last commands by the records of the gateway's console; undefined where they cannot be read, or the gateway is of another version. */
export async function recordedCommands(connection: Connection): Promise<GivenCommand[] | undefined> {
  const records = await connection.consoleRecords();
  const { commands } = (isObject(records) ? records : {}) as Partial<PageRecords>;
  return Array.isArray(commands) ? commands : undefined;
}

function isWaiting(command: GivenCommand): command is Waiting {
  return isObject(command.awaited) && isObject(command.awaited.input);
}

/** An input as records have it, without what is as if it were not there: they have the defaults, too. */
function given(input: Command["input"]): Command["input"] {
  return Object.fromEntries(
    Object.entries(escapeControlCharacters(input)).filter(([, value]) => value !== "" && value !== false),
  );
}

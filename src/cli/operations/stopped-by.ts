import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { OUTPUT_KINDS } from "../../client/output-kinds.ts";
import type { OperationName, Output } from "../../core/operations/table.ts";
import { isStopOf, repeatedWords, repetitionWords } from "../../core/stops/words.ts";
import { type Fields, isObject, isoTimeOf } from "../../core/values/basics.ts";
import type { Row } from "../output/columns.ts";
import { type Format, isForPeople } from "../output/format.ts";
import { printRecord } from "../output/print.ts";
import { printInfo } from "../terminal/messages.ts";
import { isSameNode } from "./branch.ts";
import type { OperationInput } from "./input.ts";
import { stateFields } from "./state.ts";
import { printRead } from "./views.ts";

/** Something that is disabled, as the commands that disable it name it. */
interface Disabled {
  readonly operation: string;
  /** Command that disables such a thing. */
  readonly command: string;
  /** Fields of its input that name what is disabled. */
  readonly named: Fields;
}

type Listed = Partial<Output<"listHalts">>;

/**
 * Prints what a read has returned; for people, of a service or session that is disabled also who disabled it, when and why, as far as the
 * gateway has recorded that. A program gets the API's output, and has the other from `call listHalts`.
 */
export async function printWithWho(
  client: AdminClient,
  operation: OperationName,
  output: unknown,
  { format, input }: { readonly format: Format; readonly input?: OperationInput },
): Promise<void> {
  const disabled = isForPeople(format) ? disabledOf(output) : undefined;
  if (!disabled) return printRead(operation, output, format, input);
  const stop = stopOf(disabled, await listed(client));
  const { by = null, since = null, reason = null, repeated } = stop ?? {};
  const value = {
    ...(output as Row),
    disabledBy: by,
    disabledSince: since,
    ...(reason !== null && { reason }),
    ...(repeated && { repeated: repetitionWords(repeated, Date.now()) }),
  };
  const kinds = { ...OUTPUT_KINDS[operation], disabledSince: "time" } as const;
  await printRecord({ value, record: stateFields(value), kinds }, format);
  if (stop) return;
  const search = `trading-admin audit show FILE... --operation '${disabled.command}'`;
  printInfo(`this gateway has no record of who disabled it; those of others: ${search}`);
}

/** `alice through this gateway, since 2026-01-05T09:31:00.000Z` of what a state shows halted or disabled; undefined where the gateway does not know. */
export async function whoStopped(client: AdminClient, state: unknown): Promise<string | undefined> {
  const disabled = disabledOf(state);
  const { halted, projectionPath } = isObject(state) ? state : {};
  if (!disabled && halted !== true) return undefined;
  const list = await listed(client);
  const stop = disabled ? stopOf(disabled, list) : haltAt(String(projectionPath), list);
  if (!stop?.by || stop.since === null) return undefined;
  // A trading state shows its reason itself.
  const because = disabled && stop.reason !== null ? `: ${stop.reason}` : "";
  return `${stop.by} through this gateway, since ${isoTimeOf(stop.since)}${because}${repeatedWords(stop.repeated, Date.now())}`;
}

function disabledOf(state: unknown): Disabled | undefined {
  const { enabled, status, name, gatewayName, sessionId } = isObject(state) ? state : {};
  if (enabled === false) return { operation: "disableService", command: "services disable", named: { name } };
  if (status !== "Disabled" || sessionId === undefined) return undefined;
  return {
    operation: "disableFixSession",
    command: "fix disable",
    named: { gateway: gatewayName, session: sessionId },
  };
}

/** What the gateway knows of stops. A list that cannot be read says nothing: the state itself has been read. */
async function listed(client: AdminClient): Promise<Listed> {
  try {
    return await client.listHalts({});
  } catch (error) {
    if (error instanceof AdminClientError) return {};
    throw error;
  }
}

function stopOf(
  { operation, named }: Disabled,
  { stops = [] }: Listed,
): NonNullable<Listed["stops"]>[number] | undefined {
  return stops.find((stop) => isStopOf(stop, operation, named));
}

function haltAt(path: string, { halts = [] }: Listed): Output<"listHalts">["halts"][number] | undefined {
  return halts.find(({ projectionPath }) => isSameNode(projectionPath, path));
}

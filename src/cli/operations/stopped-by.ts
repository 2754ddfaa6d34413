import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { OUTPUT_KINDS } from "../../client/output-kinds.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { isStopOf, lostWords, repeatedWords, repetitionWords } from "../../core/stops/words.ts";
import { type Fields, isObject, isoTimeOf } from "../../core/values/basics.ts";
import { type Halt, type Halts, nodesBelow, readHalts, warnOfLost } from "../halts/halts.ts";
import type { Row } from "../output/columns.ts";
import { type Format, isForPeople } from "../output/format.ts";
import { printRecord } from "../output/print.ts";
import { printInfo } from "../terminal/messages.ts";
import { isSameNode } from "./branch.ts";
import type { OperationInput } from "./input.ts";
import { stateFields } from "./state.ts";
import { printRead } from "./views.ts";

/** Something that can be disabled, as the commands that disable it name it. */
interface Stoppable {
  readonly operation: string;
  /** Command that disables such a thing. */
  readonly command: string;
  /** Fields of its input that name the thing. */
  readonly named: Fields;
  readonly isDisabled: boolean;
}

/**
 * Prints what a read has returned; for people, of a service or session that is disabled also who disabled it, when and why, as far as the
 * gateway has recorded that, and of one that is not that the engine forgot it. A program gets the API's output, and has the other from `call listHalts`.
 */
export async function printWithWho(
  client: AdminClient,
  operation: OperationName,
  output: unknown,
  { format, input }: { readonly format: Format; readonly input?: OperationInput },
): Promise<void> {
  const disabled = isForPeople(format) ? disabledOf(output) : undefined;
  if (!disabled) {
    await printRead(operation, output, format, input);
    return warnOfForgotten(client, output, format);
  }
  const stop = stopOf(disabled, await knownStops(client));
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

/** Warns people of services and sessions among those of a read whose disabling the engine forgot. */
export async function warnOfForgotten(client: AdminClient, output: unknown, format: Format): Promise<void> {
  const shown = isForPeople(format) ? [output].flat().flatMap((state) => stoppableOf(state) ?? []) : [];
  if (shown.length === 0) return;
  const { lost } = await knownStops(client);
  warnOfLost(lost.filter((stop) => shown.some(({ operation, named }) => isStopOf(stop, operation, named))));
}

/** `alice through this gateway, since 2026-01-05T09:31:00.000Z` of what a state shows halted or disabled; undefined where the gateway does not know. */
export function whoStopped(state: unknown, known: Halts): string | undefined {
  const disabled = disabledOf(state);
  const { halted, projectionPath } = isObject(state) ? state : {};
  if (!disabled && halted !== true) return undefined;
  const stop = disabled ? stopOf(disabled, known) : haltAt(String(projectionPath), known);
  if (!stop?.by || stop.since === null) return undefined;
  // A trading state shows its reason itself.
  const because = disabled && stop.reason !== null ? `: ${stop.reason}` : "";
  return `${stop.by} through this gateway, since ${isoTimeOf(stop.since)}${because}${repeatedWords(stop.repeated, Date.now())}`;
}

function disabledOf(state: unknown): Stoppable | undefined {
  const found = stoppableOf(state);
  return found?.isDisabled ? found : undefined;
}

function stoppableOf(state: unknown): Stoppable | undefined {
  const { enabled, status, name, gatewayName, sessionId } = isObject(state) ? state : {};
  if (enabled !== undefined)
    return {
      operation: "disableService",
      command: "services disable",
      named: { name },
      isDisabled: enabled === false,
    };
  if (sessionId === undefined) return undefined;
  return {
    operation: "disableFixSession",
    command: "fix disable",
    named: { gateway: gatewayName, session: sessionId },
    isDisabled: status === "Disabled",
  };
}

/** What a resume of a path leaves as it is: nodes that are halted individually, and stops that the engine no longer shows. */
export function leftStopped(path: string, { halts, lost, lacks }: Halts): string[] {
  const nodes = nodesBelow(path, halts).map(({ projectionPath }) => projectionPath);
  const besides = lacks === undefined ? "" : `; ${lacks}`;
  return [
    ...(nodes.length === 0 ? [] : [`stay   halted individually: ${nodes.join(", ")}${besides}`]),
    ...lost.map((stop) => `lost   ${lostWords(stop, Date.now())}`),
  ];
}

const NOTHING_KNOWN: Halts = { halts: [], stops: [], lost: [], complete: false, lacks: undefined, isDoubtful: false };

/** What the gateway knows of stops. A list that cannot be read says nothing: the state itself has been read. */
export async function knownStops(client: AdminClient): Promise<Halts> {
  try {
    return await readHalts(client);
  } catch (error) {
    if (error instanceof AdminClientError) return NOTHING_KNOWN;
    throw error;
  }
}

function stopOf({ operation, named }: Stoppable, { stops }: Halts): Halts["stops"][number] | undefined {
  return stops.find((stop) => isStopOf(stop, operation, named));
}

function haltAt(path: string, { halts }: Halts): Halt | undefined {
  return halts.find(({ projectionPath }) => isSameNode(projectionPath, path));
}

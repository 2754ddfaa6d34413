import type { AdminClient } from "../../client/client.ts";
import { unknownNodeAdvice } from "../../client/node-advice.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { isTypable, messageOf } from "../../core/values/basics.ts";
import { type Invocation, typedCommands } from "../framework/definition.ts";
import { nodesBelow, readHalts } from "../halts/halts.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import type { CommandResult } from "./describe-command.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { type OperationInput, typedLine } from "./input.ts";

/**
 * Says after a halt that the engine knows nothing at its path: a name that is mistyped halts nothing that trades. Never rejects: what became
 * of the halt decides about the exit code.
 */
export async function adviseAfterStop(
  client: AdminClient,
  { operation, input, outcome }: CommandResult,
): Promise<void> {
  const { projectionPath } = input;
  const isHalt = operation === "haltTrading" && (outcome === "done" || outcome === "not-proven");
  if (!isHalt || typeof projectionPath !== "string" || projectionPath === "") return;
  try {
    await warnIfUnknown(client, projectionPath, "nothing else was halted");
  } catch (error) {
    warn(`whether the engine knows ${projectionPath} could not be read: ${messageOf(error)}`);
  }
}

/** Says after a resumption which nodes at or below its path stay halted: each halt is taken back by itself. Never rejects. */
export async function adviseAfterChange(
  client: AdminClient,
  { operation, input, outcome }: CommandResult,
): Promise<void> {
  if (operation !== "resumeTrading" || outcome !== "done") return;
  try {
    const { halts, lacks } = await readHalts(client);
    const nodes = nodesBelow(String(input.projectionPath ?? ""), halts).map(({ projectionPath }) => projectionPath);
    if (nodes.length > 0)
      warn(`still halted individually: ${[nodes.join(", "), ...(lacks === undefined ? [] : [lacks])].join("; ")}`);
  } catch (error) {
    warn(`whether nodes are still halted individually could not be read: ${messageOf(error)}`);
  }
}

/** Nobody types a longer line. */
const MAX_LINE = 1_000;

/** Says of changes that wait for a second person which lines that person types; the reason may differ. */
export function adviseSecondPerson(table: Invocation["table"], results: readonly CommandResult[]): void {
  for (const { operation, input, awaitedUntil } of results) {
    if (awaitedUntil === undefined) continue;
    const line = secondPersonLine(table, operation, input);
    if (line !== undefined) printInfo(`the second person types: ${line}`);
  }
}

/** The line for a change, without its reason; undefined for one that only `--input` gives, or nobody would or could type. */
export function secondPersonLine(
  table: Invocation["table"],
  operation: OperationName,
  { reason: _, ...input }: OperationInput,
): string | undefined {
  const isRequired = (field: string): boolean =>
    OPERATION_FACTS[operation].input.some(({ name, required }) => name === field && required === true);
  const acts = Object.fromEntries(Object.entries(input).filter(([field, value]) => value !== "" || isRequired(field)));
  if (Object.values(acts).some((value) => value === "" || (typeof value === "string" && !isTypable(value)))) return;
  const words = new Map(typedCommands(table)).get(operation);
  const line = typedLine(`trading-admin ${words}`, operation, acts);
  return line.length > MAX_LINE ? undefined : line;
}

/** Warns of a path at which the engine shows nothing. */
export async function warnIfUnknown(client: AdminClient, path: string, besides?: string): Promise<void> {
  const advice = await unknownNodeAdvice(client, path);
  if (advice !== undefined) warn([advice, besides].filter((part) => part !== undefined).join("; "));
}

import type { AdminClient } from "../../client/client.ts";
import { unknownNodeAdvice } from "../../client/node-advice.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { isTypable, messageOf } from "../../core/values/basics.ts";
import { type Invocation, typedCommands } from "../framework/definition.ts";
import { nodesBelow, readHalts } from "../halts/halts.ts";
import { oneRowLine } from "../risk/one-row.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import type { Command, CommandResult } from "./describe-command.ts";
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
  if (isHalt && typeof projectionPath === "string")
    await adviseOnPath(client, projectionPath, "nothing else was halted");
}

/** Warns of a path at which the engine shows nothing, or that this could not be read. Never rejects. */
export async function adviseOnPath(client: AdminClient, path: string, besides: string): Promise<void> {
  if (path === "") return;
  try {
    await warnIfUnknown(client, path, besides);
  } catch (error) {
    warn(`whether the engine knows ${path} could not be read: ${messageOf(error)}`);
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
  const waiting = results.filter(({ awaitedUntil }) => awaitedUntil !== undefined);
  for (const line of secondPersonLines(table, waiting)) printInfo(`the second person types: ${line}`);
}

/** The lines for changes that one line sent, which differ in the last name alone: as few as can be typed. */
export function secondPersonLines(table: Invocation["table"], changes: readonly Command[]): string[] {
  const [first, ...others] = changes;
  if (!first) return [];
  const last = OPERATION_FACTS[first.operation].target.at(-1) ?? "";
  const input = others.length === 0 ? first.input : { ...first.input, [last]: changes.map(({ input }) => input[last]) };
  const line = secondPersonLine(table, first.operation, input);
  if (line !== undefined || others.length === 0) return line === undefined ? [] : [line];
  const half = Math.ceil(changes.length / 2);
  return [changes.slice(0, half), changes.slice(half)].flatMap((part) => secondPersonLines(table, part));
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
  const values = Object.values(acts).flat();
  if (values.some((value) => value === "" || (typeof value === "string" && !isTypable(value)))) return;
  const words = new Map(typedCommands(table)).get(operation);
  const ofRow = operation === "updateRiskTable" ? oneRowLine(acts) : undefined;
  const line = ofRow ?? typedLine(`trading-admin ${words}`, operation, acts);
  return line.length > MAX_LINE ? undefined : line;
}

/** Warns of a path at which the engine shows nothing. */
export async function warnIfUnknown(client: AdminClient, path: string, besides?: string): Promise<void> {
  const advice = await unknownNodeAdvice(client, path);
  if (advice !== undefined) warn([advice, besides].filter((part) => part !== undefined).join("; "));
}

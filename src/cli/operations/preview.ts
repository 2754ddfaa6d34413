import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { isConfirmed, readState } from "../../client/shown.ts";
import { commandWords } from "../../core/operations/command-words.ts";
import { oddityOf, rowName } from "../../core/operations/row-names.ts";
import type { Input } from "../../core/operations/table.ts";
import { differsByFactor, exactSum, isDecimalText } from "../../core/values/decimal-text.ts";
import { NotConfirmedByUser, outcomeOf, UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { wordsOf } from "../output/columns.ts";
import { fromWords, type RowChange, rowChanges, toWords } from "../risk/row-changes.ts";
import { adviseOnPath, warnIfUnknown } from "./advice.ts";
import { refusalAt, statesOfHolders } from "./branch.ts";
import type { Command } from "./describe-command.ts";
import type { OperationInput } from "./input.ts";
import { type Position, positionAt } from "./proof.ts";
import { stateFields } from "./state.ts";
import { knownStops, leftStopped, whoStopped } from "./stopped-by.ts";

export interface Preview {
  /** The state now; undefined where it cannot be read. */
  readonly now: unknown;
  /** The current and the resulting state. */
  readonly lines: readonly string[];
  /** Changes that need a second confirmation. */
  readonly drastic: readonly DrasticChange[];
}

interface DrasticChange {
  readonly words: string;
  readonly loosens: boolean;
}

export async function previewOf(client: AdminClient, command: Command, options: Options): Promise<Preview> {
  const { operation, input } = command;
  if (operation === "updateRiskTable") return previewLimits(client, input);
  if (operation === "adjustPosition") return previewPosition(client, input, options);
  if (!isConfirmed(operation)) return { now: null, lines: [], drastic: [] };
  const state = await readState(client, operation, input);
  const known = options.yes === true ? undefined : await knownStops(client);
  const who = known && whoStopped(state, known);
  const by = who === undefined ? [] : [`by     ${who}`];
  const then = `then   ${commandWords(operation)?.result ?? ""}`;
  if (operation !== "resumeTrading")
    return { now: state, lines: [`now    ${factsOf(state)}`, ...by, then], drastic: [] };
  const path = String(input.projectionPath ?? "");
  const restricted = `${then}${await restrictionOf(client, path, state)}`;
  const left = known ? leftStopped(path, known) : [];
  return { now: state, lines: [`now    ${factsOf(state)}`, ...by, restricted, ...left], drastic: [] };
}

/** What a resume would not change. It lifts the halt of its own path alone: whoever leaves the path out may mean a node. */
async function restrictionOf(client: AdminClient, path: string, state: unknown): Promise<string> {
  const isRunning = stateFields(state).halted === false;
  if (isRunning) await adviseOnPath(client, path, "nothing is halted there");
  const refusal = path === "" ? undefined : refusalAt(path, await statesOfHolders(client, path));
  if (refusal !== undefined) return `, but ${refusal}`;
  return isRunning ? ", as now (trading-admin trading halts lists what is halted)" : "";
}

const SHOWN = ["projectionPath", "halted", "reason", "name", "enabled", "status", "gatewayName", "sessionId"];

/** Key facts of a state, in words. */
export function factsOf(state: unknown): string {
  const fields = Object.entries(stateFields(state)).filter(([name]) => SHOWN.includes(name));
  return fields.map(([name, value]) => `${wordsOf({ name })}: ${factOf(value)}`).join(", ");
}

function factOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "-");
}

/** A limit that changes by this factor is confirmed once more. */
const DRASTIC_FACTOR = 10n;

async function previewLimits(client: AdminClient, input: OperationInput): Promise<Preview> {
  const { projection, commands } = input as Input<"updateRiskTable">;
  const table = await client.getRiskTable({ projection });
  const changes = rowChanges(commands, table);
  return {
    now: table,
    lines: [`limits of ${projection || "the root"}`, ...changes.flatMap(linesOf).map((line) => `  ${line}`)],
    drastic: changes.flatMap(drasticOf),
  };
}

function linesOf({ conditions, was, is, limits }: RowChange): string[] {
  const where = rowName(conditions);
  const changed = limits.map(
    (change) => `${where} ${change.name}: ${fromWords(change, was)} -> ${toWords(change, is)}`,
  );
  if (was && is) return changed.length === 0 ? [`${where}: nothing changes`] : changed;
  const row = is ? "new row" : was ? "row is deleted" : "no such row";
  return [`${where}: ${row}`, ...changed];
}

function drasticOf({ conditions, was, is, limits }: RowChange): DrasticChange[] {
  const where = rowName(conditions);
  const oddity = was || !is ? undefined : oddityOf(conditions);
  const removed = limits.filter(({ from, to }) => typeof from === "string" && typeof to !== "string");
  const shown = removed.map((change) => `${change.name}, ${fromWords(change, was)} now`).join("; ");
  return [
    ...(oddity === undefined ? [] : [{ words: oddity, loosens: false }]),
    ...(removed.length === 0 ? [] : [{ words: `This removes limits of ${where}: ${shown}.`, loosens: true }]),
    ...limits.flatMap((change) => {
      const { name, from, to, effect } = change;
      if (typeof from !== "string" || typeof to !== "string" || !differsByFactor(from, to, DRASTIC_FACTOR)) return [];
      const values = `${fromWords(change, was)} -> ${toWords(change, is)}`;
      const words = `This changes ${where} ${name} by a factor of ${DRASTIC_FACTOR} or more: ${values}.`;
      return [{ words, loosens: effect === "looser" }];
    }),
  ];
}

/** Previews an adjustment; refuses a position whose size is not that of `--expect`. */
async function previewPosition(client: AdminClient, input: OperationInput, { expect }: Options): Promise<Preview> {
  const path = String(input.projectionPath);
  refuseNonDecimals({ expect, ...input });
  const now = await position(client, path, expect !== undefined);
  const size = now === undefined ? "cannot be shown" : (now?.size ?? "0");
  if (typeof expect === "string" && exactSum([size]) !== exactSum([expect])) {
    throw new NotConfirmedByUser(`the size is ${size} now, not ${expect}`);
  }
  const change = input.relative === true ? `changed by ${input.size}` : String(input.size);
  const then = input.relative === true && now !== undefined ? exactSum([size, input.size]) : change;
  if (now === null) await warnIfUnknown(client, path, "the adjustment makes a new position");
  const others = (["averageCost", "realizedPnL"] as const).filter((field) => input[field] !== undefined);
  return {
    now,
    lines: [
      `position ${path}`,
      `  size: ${size} -> ${then}`,
      ...others.map((field) => `  ${field}: ${now?.[field] ?? "-"} -> ${input[field]}`),
    ],
    drastic: [],
  };
}

const DECIMALS = ["expect", "size", "averageCost", "realizedPnL"];

/** Fields whose tracking `NaN` stops (specification, "Positions"). */
const MAY_BE_NAN = ["averageCost", "realizedPnL"];

/** A text that is not a number can neither be compared with the present value nor shown as the new one. */
function refuseNonDecimals(values: Readonly<Record<string, unknown>>): void {
  const wrong = DECIMALS.find((name) => {
    const value = values[name];
    return value !== undefined && !isDecimalText(value) && !(value === "NaN" && MAY_BE_NAN.includes(name));
  });
  if (wrong === undefined) return;
  const orNaN = MAY_BE_NAN.includes(wrong) ? " or NaN" : "";
  throw new UsageError(
    `${wrong}: must be a decimal such as "12.5"${orNaN}, is ${JSON.stringify(values[wrong])}; nothing was sent`,
  );
}

/** Undefined where the engine lists no positions of such nodes, which does not hinder an adjustment unless its size must be known. */
async function position(client: AdminClient, path: string, isNeeded: boolean): Promise<Position | null | undefined> {
  try {
    return await positionAt(client, path);
  } catch (error) {
    if (!isNeeded && error instanceof AdminClientError && outcomeOf(error) === "rejected") return undefined;
    throw error;
  }
}

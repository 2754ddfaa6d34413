import type { AdminClient, CallOptions } from "../../client/client.ts";
import { type Claim, confirmed, NotConfirmedError } from "../../client/confirmation.ts";
import { type Proof, type ProofOptions, readProof } from "../../client/proof.ts";
import { type ConfirmedOperation, isConfirmed } from "../../client/shown.ts";
import { type Conditions, rowKey } from "../../core/operations/row-names.ts";
import type { Input, OperationName, Output } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import { printProjection } from "../../core/values/projection.ts";
import type { Wait } from "../duration.ts";
import type { LimitTable } from "../risk/row-changes.ts";
import type { OperationInput } from "./input.ts";
import { segmentsOf } from "./path.ts";
import { readWhole, sizeOf } from "./state.ts";

/** Result of reading a command's effect. */
type Read = Omit<Proof<ConfirmedOperation>, "state"> & { readonly state: unknown };

/** Reads until the engine shows what a command was to bring about. */
type Prove = (client: AdminClient, input: OperationInput, options: ProofOptions) => Promise<Read>;

/** How the effect of an operation is proven; undefined where no read shows it. */
export function proofOf(operation: OperationName, { logon }: Wait): Prove | undefined {
  if (logon) return confirmLoggedOn;
  if (operation === "updateRiskTable") return confirmLimits;
  if (operation === "adjustPosition") return confirmAdjusted;
  if (!isConfirmed(operation)) return undefined;
  return (client, input, options) => readProof(client, operation, input, options);
}

/** Reads until a claim holds; where the reply was lost it proves the command only if it did not hold before (decision D-CLI 3). */
async function confirmChanged<S>(
  claim: Claim<S>,
  { before: known, isReplyLost, ...options }: ProofOptions,
): Promise<Read> {
  const before = (await known) as S | undefined;
  const isOpen = isReplyLost !== true || (before !== undefined && !claim.holds(before));
  const state = await confirmed({ ...claim, holds: (now) => isOpen && claim.holds(now) }, options);
  return { state, at: Date.now() };
}

/** Waits until a position has its new size and the values that were set with it. Trading continues meanwhile, so it may pass them unseen. */
async function confirmAdjusted(client: AdminClient, input: OperationInput, options: ProofOptions): Promise<Read> {
  const { projectionPath, size, relative } = input;
  const wanted = relative === true ? await sumWith(options.before, size) : exactSum([size]);
  const words = `the position ${projectionPath} has the size ${wanted}`;
  const read = (call: CallOptions): Promise<Position | null> => positionAt(client, String(projectionPath), call);
  const holds = (now: Position | null): boolean =>
    sizeOf(now) === wanted && (relative === true || showsValues(input, now));
  try {
    return await confirmChanged({ words, read, holds }, options);
  } catch (error) {
    throw error instanceof NotConfirmedError ? withSize(error, wanted) : error;
  }
}

/** Of a position that trades another size than the wanted one proves nothing. */
function withSize(error: NotConfirmedError, wanted: string | undefined): NotConfirmedError {
  const size = error.lastSeen ? sizeOf(error.lastSeen as Position) : undefined;
  if (error.cause !== undefined || size === undefined || size === wanted) return error;
  const cause = new Error(`the size is ${size}, not ${wanted}; it may have traded meanwhile`);
  return new NotConfirmedError(error.message, error.lastSeen, { cause });
}

/** @throws NotConfirmedError where the size before is not known: then no size shows a relative change. */
async function sumWith(before: unknown, change: unknown): Promise<string | undefined> {
  const position = (await before) as Position | null | undefined;
  const held = position === undefined ? undefined : sizeOf(position);
  if (held !== undefined) return exactSum([held, change]);
  const cause = new Error("the size before it is not known");
  throw new NotConfirmedError("the size that a relative change results in is not known", undefined, { cause });
}

/** Values that replace those of a position. What a relative change makes of them the specification does not say. */
function showsValues(input: OperationInput, position: Position | null): boolean {
  return (["averageCost", "realizedPnL"] as const).every((field) => {
    const [wanted, shown] = [input[field], position?.[field] ?? null];
    if (wanted === undefined) return true;
    return wanted === "NaN" || shown === null
      ? shown === null && wanted === "NaN"
      : exactSum([wanted]) === exactSum([shown]);
  });
}

/** Waits until a risk table shows the rows that an update named. A table with rows left out does not show that one was deleted. */
function confirmLimits(client: AdminClient, input: OperationInput, options: ProofOptions): Promise<Read> {
  const update = input as Input<"updateRiskTable">;
  const { projection } = update;
  const holds = (table: LimitTable): boolean => showsLimits(update, table);
  const isEnough = (part: LimitTable): boolean => !removesRows(update) && holds(part);
  const read = (call: CallOptions): Promise<LimitTable> =>
    readWhole((also) => client.getRiskTable({ projection }, { ...call, ...also }), isEnough);
  const words = `the risk table ${projection || "of the root"} shows the update`;
  return confirmChanged({ words, read, holds }, options);
}

function confirmLoggedOn(
  client: AdminClient,
  { gateway, session }: OperationInput,
  options: ProofOptions,
): Promise<Read> {
  const input = { gateway, session } as Input<"getFixSession">;
  const words = `the peer of FIX session ${session} of gateway ${gateway} has logged on`;
  const read = (call: CallOptions): Promise<Output<"getFixSession">> => client.getFixSession(input, call);
  return confirmChanged({ words, read, holds: ({ status }) => status === "Connected" }, options);
}

export type Position = Output<"listPositions">[number];

/** The position of one node, or null where the engine has none. */
export async function positionAt(client: AdminClient, path: string, options?: CallOptions): Promise<Position | null> {
  const projection = printProjection(segmentsOf(path).map(({ key }) => key));
  const isAt = (position: Position): boolean => position.projection === path;
  const positions = await readWhole(
    (call) => client.listPositions({ projection }, { ...options, ...call }),
    (part) => part.some(isAt),
  );
  return positions.find(isAt) ?? null;
}

type RiskUpdate = Input<"updateRiskTable">;

/** Limits that a row should have at least; null for a row that should not be there. */
type Expected = Readonly<Record<string, string | null | undefined>> | null;

/** Whether a risk table shows what an update asked for: each row that it names, with its limits, or its absence. */
function showsLimits({ commands }: RiskUpdate, { rows }: LimitTable): boolean {
  const actual = new Map(rows.map(({ conditions, limits }) => [rowKey(conditions), limits]));
  return [...expectedRows(commands)].every(([key, expected]) => {
    const limits = actual.get(key);
    if (expected === null || limits === undefined) return expected === null && limits === undefined;
    return Object.entries(expected).every(([name, limit]) => isSameLimit(limit, limits[name]));
  });
}

/** Whether rows that an update names should be gone: only a whole table shows that. */
function removesRows({ commands }: RiskUpdate): boolean {
  return [...expectedRows(commands).values()].includes(null);
}

/** The net effect of all commands on a row: a later one continues from those before it. */
function expectedRows(commands: RiskUpdate["commands"]): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (const { type, conditions, limits } of commands) {
    const key = rowKey(conditions as Conditions);
    expected.set(key, type === "DELETE" ? null : { ...expected.get(key), ...limits });
  }
  return expected;
}

function isSameLimit(wanted: string | null | undefined, shown: string | null | undefined): boolean {
  if (typeof wanted !== "string" || typeof shown !== "string") return (wanted ?? null) === (shown ?? null);
  return exactSum([wanted]) === exactSum([shown]);
}

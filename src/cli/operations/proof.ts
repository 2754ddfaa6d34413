import type { AdminClient, CallOptions } from "../../client/client.ts";
import { confirmed } from "../../client/confirmation.ts";
import { type Proof, type ProofOptions, readProof } from "../../client/proof.ts";
import { type ConfirmedOperation, isConfirmed } from "../../client/shown.ts";
import type { OperationName, Output } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import { printProjection } from "../../core/values/projection.ts";
import type { OperationInput } from "./input.ts";
import { segmentsOf } from "./path.ts";
import { sizeOf } from "./state.ts";
import { readWhole } from "./whole-read.ts";

/** What was read of a command's effect. */
type Read = Omit<Proof<ConfirmedOperation>, "state"> & { readonly state: unknown };

/** Reads until the engine shows what a command was to bring about. */
type Prove = (client: AdminClient, input: OperationInput, options: ProofOptions) => Promise<Read>;

/** How the effect of an operation is proven; undefined where no read shows it. */
export function proofOf(operation: OperationName): Prove | undefined {
  if (operation === "adjustPosition") return confirmAdjusted;
  if (!isConfirmed(operation)) return undefined;
  return (client, input, options) => readProof(client, operation, input, options);
}

/** Waits until a position has its new size. Trading goes on meanwhile, so it may pass that size unseen. */
async function confirmAdjusted(
  client: AdminClient,
  { projectionPath, size, relative }: OperationInput,
  { before, ...options }: ProofOptions,
): Promise<Read> {
  const held = sizeOf((await before) as Position | null);
  const wanted = relative === true ? held && exactSum([held, size]) : exactSum([size]);
  const words = `the position ${projectionPath} has the size ${wanted ?? "that results"}`;
  const read = (call: CallOptions): Promise<Position | null> => positionAt(client, String(projectionPath), call);
  const holds = (now: Position | null): boolean => wanted !== undefined && sizeOf(now) === wanted;
  const state = await confirmed({ words, read, holds }, options);
  return { state, at: Date.now() };
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

import type { AdminClient, CallOptions } from "../../client/client.ts";
import { confirmed } from "../../client/confirmation.ts";
import { type Proof, type ProofOptions, readProof } from "../../client/proof.ts";
import { type ConfirmedOperation, isConfirmed } from "../../client/shown.ts";
import type { OperationName, Output } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import { printProjection } from "../../core/values/projection.ts";
import type { OperationInput } from "./input.ts";
import { segmentsOf } from "./path.ts";

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
  const then = (await before) as Position | null;
  const wanted = exactSum(relative === true ? [then?.size, size] : [size]);
  const words = `the position ${projectionPath} has the size ${wanted}`;
  const read = (call: CallOptions): Promise<Position | null> => positionAt(client, String(projectionPath), call);
  const state = await confirmed({ words, read, holds: (now) => exactSum([now?.size]) === wanted }, options);
  return { state, at: Date.now() };
}

export type Position = Output<"listPositions">[number];

/** The position of one node, or null where the engine has none. */
export async function positionAt(client: AdminClient, path: string, options?: CallOptions): Promise<Position | null> {
  const projection = printProjection(segmentsOf(path).map(({ key }) => key));
  const positions = await client.listPositions({ projection }, options);
  return positions.find((position) => position.projection === path) ?? null;
}

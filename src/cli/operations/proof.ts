import type { AdminClient, CallOptions } from "../../client/client.ts";
import { type ConfirmAppliedOptions, type ConfirmedOperation, confirmApplied } from "../../client/confirm.ts";
import { type ConfirmOptions, confirmed } from "../../client/confirmation.ts";
import type { Input, OperationName, Output } from "../../core/operations/table.ts";
import { exactSum } from "../../core/values/decimal-text.ts";
import { printProjection } from "../../core/values/projection.ts";
import type { OperationInput } from "./input.ts";
import { segmentsOf } from "./path.ts";
import { isConfirmed } from "./state.ts";

/**
 * Reads until the engine shows what a command was to bring about. `before` is the state that was there before it, or what the
 * command itself returned.
 */
export type Proof = (
  client: AdminClient,
  input: OperationInput,
  options: ConfirmOptions,
  before: unknown,
) => Promise<unknown>;

/** How the effect of an operation is proven; undefined where no read shows it. */
export function proofOf(operation: OperationName): Proof | undefined {
  if (operation === "adjustPosition") return confirmAdjusted;
  if (!isConfirmed(operation)) return undefined;
  return (client, input, options, before) => {
    const known = { ...options, before } as ConfirmAppliedOptions<ConfirmedOperation>;
    return confirmApplied(client, operation, input as Input<ConfirmedOperation>, known);
  };
}

/** Waits until a position has its new size. Trading goes on meanwhile, so it may pass that size unseen. */
function confirmAdjusted(
  client: AdminClient,
  { projectionPath, size, relative }: OperationInput,
  options: ConfirmOptions,
  before: unknown,
): Promise<Position | null> {
  const wanted = exactSum(relative === true ? [(before as Position | null)?.size, size] : [size]);
  const words = `the position ${projectionPath} has the size ${wanted}`;
  const read = (call: CallOptions): Promise<Position | null> => positionAt(client, String(projectionPath), call);
  return confirmed({ words, read, holds: (position) => exactSum([position?.size]) === wanted }, options);
}

export type Position = Output<"listPositions">[number];

/** The position of one node, or null where the engine has none. */
export async function positionAt(client: AdminClient, path: string, options?: CallOptions): Promise<Position | null> {
  const projection = printProjection(segmentsOf(path).map(({ key }) => key));
  const positions = await client.listPositions({ projection }, options);
  return positions.find((position) => position.projection === path) ?? null;
}

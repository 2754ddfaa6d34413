import type { Input } from "../../core/operations/table.ts";
import { connect } from "../connection/connect.ts";
import type { Run } from "../framework/definition.ts";
import { inputOf } from "../operations/input.ts";
import type { Position } from "../operations/proof.ts";
import { counted } from "../output/columns.ts";
import { type Change, changesOf } from "./change.ts";
import { type Watched, watch } from "./watch.ts";

/** Changes of sizes, including those of open orders. Values that follow the market are left out. */
export function positionChanges(before: readonly Position[], now: readonly Position[]): Change[] {
  return changesOf(before, now, {
    nameOf: ({ projection }) => projection || "(root)",
    fieldsOf: ({ size, openBuySize, openSellSize }) => ({ size, openBuySize, openSellSize }),
  });
}

/** `positions watch`: changes of sizes, those of open orders included. */
export const run: Run = async (invocation) => {
  const { options } = invocation;
  const input = (await inputOf("listPositions", invocation)) as Input<"listPositions">;
  const { polling } = await connect(options);
  const positions: Watched<Position[]> = {
    read: (call) => polling.listPositions(input, call),
    summaryOf: (list) => `${counted(list.length, "position")} of ${input.projection}`,
    changesOf: positionChanges,
  };
  await watch(positions, options);
};

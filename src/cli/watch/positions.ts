import type { Output } from "../../core/operations/table.ts";
import { type Change, changesOf } from "./change.ts";

export type Position = Output<"listPositions">[number];

/** What changed in positions: their sizes and those of their open orders. Values that follow the market are left out. */
export function positionChanges(before: readonly Position[], now: readonly Position[]): Change[] {
  return changesOf(before, now, {
    nameOf: ({ projection }) => projection || "(root)",
    fieldsOf: ({ size, openBuySize, openSellSize }) => ({ size, openBuySize, openSellSize }),
  });
}

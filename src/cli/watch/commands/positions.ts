import type { Input } from "../../../core/operations/table.ts";
import type { Run } from "../../command/definition.ts";
import { connect } from "../../connection/connect.ts";
import { inputOf } from "../../operations/input.ts";
import { watchOptionsOf } from "../options.ts";
import { type Position, positionChanges } from "../positions.ts";
import { type Watched, watch } from "../watch.ts";

/** `positions watch`: changes of sizes, those of open orders included. */
export const run: Run = async (invocation) => {
  const { options } = invocation;
  const input = (await inputOf("listPositions", invocation)) as Input<"listPositions">;
  const { polling } = await connect(options);
  const positions: Watched<Position[]> = {
    read: (call) => polling.listPositions(input, call),
    summaryOf: (list) => `${list.length} position${list.length === 1 ? "" : "s"} of ${input.projection}`,
    changesOf: positionChanges,
  };
  await watch(positions, watchOptionsOf(options));
  return undefined;
};

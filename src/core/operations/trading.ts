import { z } from "zod";
import type { ProjectionKeys } from "../values/projection.ts";
import { projectionPathField, reasonField } from "./fields.ts";
import { empty, operation } from "./operation.ts";

/** Kill switch state of one path (specification, "Kill switch state"). */
const killSwitchState = z
  .object({
    projectionPath: z.string().meta({ description: "Path the state belongs to; empty means system-wide." }),
    halted: z.boolean().meta({ description: "true when trading is halted." }),
    reason: z.string().nullable().meta({ description: "Reason of the last kill switch event; null before the first." }),
  })
  .meta({ id: "KillSwitchState" });

const IGNORED_CANCEL = "cancelOrders was ignored: working orders are cancelled only by a system-wide halt";

/** Kill switch operations; their types are inferred from the schemas. */
export function tradingOperations(keys: ProjectionKeys) {
  const projectionPath = projectionPathField(keys, "", "Source[FIXCLIENT1]/Account[GOLD]").default("");
  return {
    getTradingStatus: operation({
      method: "GET",
      path: "/trading/status",
      permission: null,
      lane: "read",
      tag: "Trading",
      summary: "Kill switch state of a path",
      in: "query",
      input: z.strictObject({ projectionPath }),
      output: killSwitchState,
      target: ["projectionPath"],
    }),
    haltTrading: operation({
      method: "POST",
      path: "/trading/halt",
      permission: "HALT_RESUME_TRADING",
      lane: "stop",
      tag: "Trading",
      summary: "Halt trading system-wide or at a path",
      in: "body",
      input: z.strictObject({
        projectionPath,
        reason: reasonField("Trading halted"),
        cancelOrders: z
          .boolean({ error: "must be true or false" })
          .default(false)
          .meta({ description: "Cancel working orders; honored only for a system-wide halt." }),
      }),
      output: empty,
      target: ["projectionPath"],
      prepare: (input) =>
        input.cancelOrders && input.projectionPath !== ""
          ? { input: { ...input, cancelOrders: false }, warning: IGNORED_CANCEL }
          : { input },
    }),
    resumeTrading: operation({
      method: "POST",
      path: "/trading/resume",
      permission: "HALT_RESUME_TRADING",
      lane: "change",
      tag: "Trading",
      summary: "Resume trading system-wide or at a path",
      in: "body",
      direction: "loosens",
      input: z.strictObject({ projectionPath, reason: reasonField("Trading resumed") }),
      output: empty,
      target: ["projectionPath"],
    }),
  };
}

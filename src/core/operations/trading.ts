import { z } from "zod";
import { DEFAULT_REASONS } from "../conventions.ts";
import { once } from "../values/basics.ts";
import type { ProjectionKeys } from "../values/projection.ts";
import { CONFIRMATIONS } from "./confirmations.ts";
import { ACCEPTED, ACCEPTED_BY_ENGINE, empty, projectionPathField, reasonField } from "./fields.ts";
import { operation, READ } from "./operation.ts";

/** Kill switch state of one path (specification, "Kill switch state"). */
const killSwitchState = once(() =>
  z
    .object({
      projectionPath: z.string().meta({ description: "Path the state belongs to; empty means system-wide." }),
      halted: z.boolean().meta({ description: "true when trading is halted." }),
      reason: z
        .string()
        .nullable()
        .meta({ description: "Reason of the last kill switch event; null before the first." }),
    })
    .meta({ id: "KillSwitchState" }),
);

const IGNORED_CANCEL = "cancelOrders was ignored: working orders are cancelled only by a system-wide halt";

const IN_ORDER = `${ACCEPTED_BY_ENGINE} Halts and resumes are applied in the order in which they came.`;

const control = { method: "POST", permission: "HALT_RESUME_TRADING", tag: "Trading" } as const;

const NODE = "Source[FIXCLIENT1]/Account[GOLD]";

/** Kill switch operations; their types are inferred from the schemas. */
export function tradingOperations(keys: ProjectionKeys) {
  const projectionPath = once(() => projectionPathField(keys, "", NODE).default(""));
  return {
    getTradingStatus: operation({
      ...READ,
      path: "/trading/status",
      tag: "Trading",
      summary: "Kill switch state of a path",
      description:
        "The state of the path itself. An order is refused if any path above it is halted too; look at those separately.",
      engineNotes: "The state of the path itself: a halted ancestor does not count.",
      input: () => z.strictObject({ projectionPath: projectionPath() }),
      output: killSwitchState,
      target: ["projectionPath"],
      names: { projectionPath: "projectionPath" },
      examples: [
        {
          summary: "A node is halted",
          input: { projectionPath: NODE },
          output: { projectionPath: NODE, halted: true, reason: "Price feed is stale" },
        },
        {
          summary: "Nothing was ever halted system-wide",
          input: {},
          output: { projectionPath: "", halted: false, reason: null },
        },
      ],
    }),
    haltTrading: operation({
      ...control,
      path: "/trading/halt",
      lane: "stop",
      summary: "Halt trading system-wide or at a path",
      description:
        "The halt is asynchronous: confirm it with the status read. With `cancelOrders` and a system-wide halt, the engine " +
        "requests the cancellation of all working orders; open sizes of positions show the result. For a node the flag " +
        `has no effect, and \`X-Admin-Warning\` says so. ${ACCEPTED}`,
      engineNotes: `${IN_ORDER} cancelOrders is true only where projectionPath is empty.`,
      input: () =>
        z.strictObject({
          projectionPath: projectionPath(),
          reason: reasonField(DEFAULT_REASONS.haltTrading),
          cancelOrders: z.boolean({ error: "must be true or false" }).default(false).meta({
            description: "Request the cancellation of all working orders; honored only for a system-wide halt.",
          }),
        }),
      output: empty,
      target: ["projectionPath"],
      confirmedBy: CONFIRMATIONS.haltTrading,
      examples: [
        {
          summary: "Halt a node",
          input: { projectionPath: NODE, reason: "Client asked for it" },
          output: null,
        },
        {
          summary: "Halt everything and cancel the working orders",
          input: { reason: "Price feed is stale", cancelOrders: true },
          output: null,
        },
      ],
      warning: IGNORED_CANCEL,
      prepare: (input) =>
        input.cancelOrders && input.projectionPath !== ""
          ? { input: { ...input, cancelOrders: false }, warning: IGNORED_CANCEL }
          : { input },
    }),
    resumeTrading: operation({
      ...control,
      path: "/trading/resume",
      lane: "change",
      summary: "Resume trading system-wide or at a path",
      description: `Resuming the root leaves the halts of nodes in place. ${ACCEPTED}`,
      engineNotes: `${IN_ORDER} Other paths stay as they are.`,
      direction: "loosens",
      undoes: "haltTrading",
      input: () =>
        z.strictObject({ projectionPath: projectionPath(), reason: reasonField(DEFAULT_REASONS.resumeTrading) }),
      output: empty,
      target: ["projectionPath"],
      confirmedBy: CONFIRMATIONS.resumeTrading,
      examples: [
        {
          summary: "Resume a node",
          input: { projectionPath: NODE, reason: "Client asked for it" },
          output: null,
        },
        { summary: "Resume system-wide", input: { reason: "Price feed is back" }, output: null },
      ],
    }),
  };
}

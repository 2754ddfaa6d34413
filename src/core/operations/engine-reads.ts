import { z } from "zod";
import { once } from "../values/basics.ts";
import { long } from "../values/decimal.ts";
import { extensions } from "./extensions.ts";
import { operation, READ } from "./operation.ts";

const engineHalt = once(() =>
  z
    .object({
      projectionPath: z.string().meta({ description: "Path that is halted; empty means system-wide." }),
      reason: z.string().nullable().meta({ description: "Reason of the halt; null if unknown." }),
      since: long()
        .nullable()
        .meta({ description: "Epoch milliseconds of the halt, not of its repetition; null if unknown." }),
    })
    .meta({ id: "EngineHalt" }),
);

/**
 * Reads of the bus contract that an engine may have or not, since 1.2. Each serves the operation beyond the
 * specification that has its name.
 */
export const engineReads = {
  listHalts: operation({
    ...READ,
    path: "/trading/halts",
    tag: "Trading",
    summary: "All paths that are halted",
    description: "",
    engineNotes:
      "Optional. Every active halt, wherever it was given. An engine that can list only some does not have this operation.",
    input: () => z.strictObject({}),
    output: () => z.array(engineHalt()),
    target: [],
    examples: [
      {
        summary: "A node is halted",
        input: {},
        output: [{ projectionPath: "Account[GOLD]", reason: "Client asked for it", since: 1_767_605_460_000 }],
      },
    ],
  }),
  describeEngine: extensions.describeEngine,
};

export type EngineReads = typeof engineReads;

export type EngineReadName = keyof EngineReads;

export const engineReadNames: readonly EngineReadName[] = Object.keys(engineReads) as EngineReadName[];

export function isEngineRead(name: string): name is EngineReadName {
  return Object.hasOwn(engineReads, name);
}

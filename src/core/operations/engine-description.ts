import { z } from "zod";
import { once } from "../values/basics.ts";
import { gatewayType } from "./fix.ts";

const describedRiskTable = once(() =>
  z
    .object({
      projection: z.string().meta({ description: "Projection of the table; empty means system-wide." }),
      limits: z.array(z.string()).meta({ description: "Names of its limits, in the order of its columns." }),
    })
    .meta({ id: "DescribedRiskTable" }),
);

const counts = once(() =>
  z
    .object({
      connections: z.boolean().meta({ description: "Accepted and rejected connections of FIX gateways." }),
      messages: z.boolean().meta({ description: "Messages of FIX gateways and sessions." }),
      bytes: z.boolean().meta({ description: "Bytes of FIX gateways and sessions." }),
    })
    .meta({ id: "EngineCounts", description: "What the engine counts; what it does not count is null." }),
);

/** What an engine says of itself; what it does not say is absent, so that a small engine can describe itself too. */
export const engineDescription = once(() =>
  z
    .object({
      name: z.string().meta({ description: "Name of the engine." }),
      version: z.string().optional().meta({ description: "Version of the engine." }),
      operations: z.array(z.string()).meta({
        description: "Names of the operations that the engine has, `listHalts` and `describeEngine` included.",
      }),
      haltKeys: z.array(z.string()).optional().meta({
        description: "Projection keys of the paths that can be halted; empty where only the whole system can be.",
      }),
      projectionKeys: z.array(z.string()).optional().meta({ description: "Projection keys that the engine knows." }),
      positionProjections: z
        .array(z.string())
        .optional()
        .meta({ description: "Projections by which positions are listed." }),
      riskTables: z.array(describedRiskTable()).optional().meta({ description: "Risk tables, by projection." }),
      gatewayTypes: z
        .array(gatewayType())
        .optional()
        .meta({ description: "Types of the FIX gateways, each once; empty where there are none." }),
      counts: counts().optional(),
    })
    .meta({
      id: "EngineDescription",
      description: "What an engine says of itself. A field is absent where it does not say.",
    }),
);

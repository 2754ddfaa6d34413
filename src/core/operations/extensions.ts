import { z } from "zod";
import { AUTHENTICATION_METHODS, PERMISSIONS } from "../principal.ts";
import { once } from "../values/basics.ts";
import { long } from "../values/decimal.ts";
import { gatewayType } from "./fix.ts";
import { operation, READ } from "./operation.ts";

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

/** An engine's description of itself; all fields but a few are optional, so that a small engine can describe itself too. */
const engineDescription = once(() =>
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

const repetition = once(() =>
  z
    .object({
      at: long().meta({ description: "Epoch milliseconds." }),
      by: z.string().nullable().meta({ description: "User who repeated it." }),
      reason: z.string().nullable().meta({ description: "Reason that they gave." }),
    })
    .meta({
      id: "Repetition",
      description: "The last time that somebody repeated a stop while it was active; absent where nobody has.",
    }),
);

const halt = once(() =>
  z
    .object({
      projectionPath: z.string().meta({ description: "Path that is halted; empty means system-wide." }),
      reason: z.string().nullable().meta({
        description: "Reason as the engine shows it, or that of the first where the halt was repeated without one.",
      }),
      since: long().nullable().meta({
        description: "Epoch milliseconds of the halt; null where neither engine nor gateway knows it.",
      }),
      by: z.string().nullable().meta({ description: "User who halted; null where the gateway has no record of it." }),
      repeated: repetition().optional(),
    })
    .meta({ id: "Halt" }),
);

/** Fields of a stop that lasts until it is taken back. */
const stopFields = once(() => ({
  operation: z.string().meta({ description: "The stop, such as `haltTrading`." }),
  target: z.string().meta({
    description: "What was stopped: a projection path, a service, `gateway/session`; empty means system-wide.",
  }),
  targetFields: z.record(z.string(), z.string()).meta({
    description:
      "The same by the fields of the operation's input, such as `gateway` and `session`: names may hold a `/`, so that two targets can " +
      "have the same text.",
  }),
  reason: z.string().nullable().meta({ description: "Reason as it was given; null where the operation has none." }),
  since: long().meta({ description: "Epoch milliseconds of the stop." }),
  by: z.string().nullable().meta({ description: "User who stopped it." }),
}));

const lostStop = once(() => z.object(stopFields()).meta({ id: "LostStop" }));
const activeStop = once(() =>
  z.object({ ...stopFields(), repeated: repetition().optional() }).meta({ id: "ActiveStop" }),
);

const authenticationMethod = once(() =>
  z.enum(AUTHENTICATION_METHODS).meta({
    id: "AuthenticationMethod",
    description: "How a caller was authenticated; `direct` only where a host names its users itself.",
  }),
);
const permission = once(() => z.enum(PERMISSIONS).meta({ id: "Permission" }));

/**
 * Operations beyond the specification. Their records are like those of the operation table, but the API answers them
 * itself, from what it knows and what the engine may be able to say (`engine-reads.ts`).
 */
export const extensions = {
  listHalts: operation({
    ...READ,
    path: "/trading/halts",
    tag: "Trading",
    summary: "What is halted",
    description:
      "All paths that are halted, the whole system as the empty path. With `complete: true` the engine has listed them. Otherwise they " +
      "are those that were halted through this gateway and that the engine shows halted now, and there may be others, halted through " +
      "another gateway or at the engine.",
    input: () => z.strictObject({}),
    output: () =>
      z
        .object({
          complete: z.boolean().meta({ description: "Whether the engine itself has listed the halts." }),
          halts: z.array(halt()),
          lost: z
            .array(lostStop())
            .optional()
            .meta({
              description:
                "Stops of any kind that were applied through this gateway, that no command has taken back here, and that the engine no " +
                "longer shows; absent where there is none. A new stop or the command that takes it back ends such an entry.",
            }),
          stops: z
            .array(activeStop())
            .optional()
            .meta({
              description:
                "Stops other than halts that were applied through this gateway, that no command has taken back here, and that are not " +
                "lost: who disabled a service or FIX session, when and why. Of one that was lost and is shown again `by` and `reason` are null, " +
                "as somebody else may have given it. Absent where there is none.",
            }),
        })
        .meta({ id: "Halts" }),
    target: [],
    examples: [
      {
        summary: "A node is halted",
        input: {},
        output: {
          complete: true,
          halts: [
            { projectionPath: "Account[GOLD]", reason: "Client asked for it", since: 1_767_605_460_000, by: "alice" },
          ],
        },
      },
      {
        summary: "A service is disabled",
        input: {},
        output: {
          complete: true,
          halts: [],
          stops: [
            {
              operation: "disableService",
              target: "TWAP",
              targetFields: { name: "TWAP" },
              reason: "runaway",
              since: 1_767_605_460_000,
              by: "alice",
            },
          ],
        },
      },
      {
        summary: "The engine was restarted and has forgotten a halt",
        input: {},
        output: {
          complete: false,
          halts: [],
          lost: [
            {
              operation: "haltTrading",
              target: "",
              targetFields: { projectionPath: "" },
              reason: "bad algo",
              since: 1_767_605_460_000,
              by: "alice",
            },
          ],
        },
      },
    ],
  }),
  whoami: operation({
    ...READ,
    path: "/whoami",
    answeredHere: true,
    tag: "Access",
    summary: "Who the caller is",
    description:
      "The user that these credentials belong to, and what they may do now. A policy of the installation may still refuse a command.",
    input: () => z.strictObject({}),
    output: () =>
      z
        .object({
          name: z.string().meta({ description: "Name of the user, as it is in audit records." }),
          authentication: authenticationMethod(),
          permissions: z.array(permission()).meta({ description: "Permissions that the user has now, sorted." }),
          expires: long().nullable().meta({
            description:
              "Epoch milliseconds at which the bearer token expires; null for credentials that do not expire.",
          }),
        })
        .meta({ id: "Caller" }),
    target: [],
    examples: [
      {
        summary: "A user with HTTP Basic",
        input: {},
        output: {
          name: "alice",
          authentication: "basic",
          permissions: ["CHANGE_RISK_LIMITS", "HALT_RESUME_TRADING"],
          expires: null,
        },
      },
      {
        summary: "A service with a bearer token",
        input: {},
        output: { name: "monitor", authentication: "bearer", permissions: [], expires: 1_767_605_460_000 },
      },
    ],
  }),
  describeEngine: operation({
    ...READ,
    path: "/engine",
    tag: "Engine",
    isOptional: true,
    summary: "What the engine is and has",
    description:
      "Name, version and operations of the engine, and what its commands can name: projections, risk limits, keys of halts, types of " +
      "FIX gateways. 404 where the engine does not describe itself.",
    engineNotes: "Optional. What does not change while the engine runs, without what it does not say.",
    input: () => z.strictObject({}),
    output: engineDescription,
    target: [],
    examples: [
      {
        summary: "An engine with two projections",
        input: {},
        output: {
          name: "Example engine",
          version: "4.2.0",
          operations: [
            "getTradingStatus",
            "haltTrading",
            "resumeTrading",
            "getRiskTable",
            "listPositions",
            "describeEngine",
          ],
          haltKeys: ["Account", "Symbol"],
          projectionKeys: ["Account", "Symbol"],
          positionProjections: ["Account/Symbol"],
          riskTables: [{ projection: "Account", limits: ["MaxOrderSize", "MaxLongPosition"] }],
          gatewayTypes: [],
          counts: { connections: false, messages: false, bytes: false },
        },
      },
    ],
  }),
};

export type Extensions = typeof extensions;

export type ExtensionName = keyof Extensions;

export const extensionNames: readonly ExtensionName[] = Object.keys(extensions) as ExtensionName[];

import { z } from "zod";
import { DEFAULT_REASONS } from "../conventions.ts";
import { once } from "../values/basics.ts";
import { CONFIRMATIONS } from "./confirmations.ts";
import { ACCEPTED, ACCEPTED_BY_ENGINE, empty, reasonField, text } from "./fields.ts";
import { operation, READ } from "./operation.ts";

const serviceStatus = once(() => z.enum(["Connected", "Disconnected"]).meta({ id: "ServiceStatus" }));

/** A trade connector or an algorithm (specification, "Service"). */
export const service = once(() =>
  z
    .object({
      name: z.string().meta({ description: "Identifier used to enable or disable the service." }),
      type: z.string().meta({
        description: "Kind of the service. The set is open: expect names that are not listed here.",
        examples: ["Algorithm", "Connector"],
      }),
      system: z.boolean().meta({ description: "System algorithms do not accept orders." }),
      dma: z.boolean().meta({ description: "The service provides direct market access." }),
      enabled: z.boolean().meta({ description: "Whether the service currently accepts orders." }),
      status: serviceStatus().nullable().meta({ description: "Trade connectors only; null for others." }),
    })
    .meta({ id: "Service" }),
);

const name = once(() => text().meta({ description: "Name of the service." }));

const read = { ...READ, tag: "Services" } as const;
const control = { method: "POST", permission: "ENABLE_DISABLE_SERVICE", tag: "Services" } as const;

const connector = {
  name: "NASDAQ1",
  type: "Connector",
  system: false,
  dma: true,
  enabled: true,
  status: "Connected",
} as const;

const algorithm = { name: "TWAP", type: "Algorithm", system: false, dma: false, enabled: true, status: null } as const;

export const serviceOperations = {
  listServices: operation({
    ...read,
    path: "/services",
    summary: "All services",
    description: "All trade connectors and algorithms.",
    input: () => z.strictObject({}),
    output: () => z.array(service()),
    target: [],
    examples: [{ summary: "A connector and an algorithm", input: {}, output: [connector, algorithm] }],
  }),
  getService: operation({
    ...read,
    path: "/services/{name}",
    summary: "One service",
    description: "A trade connector or an algorithm.",
    input: () => z.strictObject({ name: name() }),
    output: service,
    target: ["name"],
    names: { name: "name" },
    examples: [
      { summary: "An algorithm has no connection status", input: { name: "TWAP" }, output: algorithm },
      { summary: "A connector", input: { name: "NASDAQ1" }, output: connector },
    ],
  }),
  disableService: operation({
    ...control,
    path: "/services/{name}/disable",
    lane: "stop",
    summary: "Stop a service from accepting orders",
    description: `The service accepts no orders until it is enabled; its working orders are not cancelled. ${ACCEPTED}`,
    engineNotes: ACCEPTED_BY_ENGINE,
    input: () => z.strictObject({ name: name(), reason: reasonField(DEFAULT_REASONS.disableService) }),
    output: empty,
    target: ["name"],
    confirmedBy: CONFIRMATIONS.disableService,
    examples: [
      { summary: "With a reason", input: { name: "TWAP", reason: "Runs away from its schedule" }, output: null },
    ],
  }),
  enableService: operation({
    ...control,
    path: "/services/{name}/enable",
    lane: "change",
    summary: "Let a service accept orders again",
    description: ACCEPTED,
    engineNotes: ACCEPTED_BY_ENGINE,
    direction: "loosens",
    undoes: "disableService",
    input: () => z.strictObject({ name: name(), reason: reasonField(DEFAULT_REASONS.enableService) }),
    output: empty,
    target: ["name"],
    confirmedBy: CONFIRMATIONS.enableService,
    examples: [{ summary: "With a reason", input: { name: "TWAP", reason: "Fixed and tested" }, output: null }],
  }),
};

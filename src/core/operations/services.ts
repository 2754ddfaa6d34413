import { z } from "zod";
import { reasonField, text } from "./fields.ts";
import { empty, operation } from "./operation.ts";

const serviceStatus = z.enum(["Connected", "Disconnected"]).meta({ id: "ServiceStatus" });

/** A trade connector or an algorithm (specification, "Service"). */
export const service = z
  .object({
    name: z.string().meta({ description: "Identifier used to enable or disable the service." }),
    type: z.string().meta({
      description: "Kind of the service. The set is open: expect names that are not listed here.",
      examples: ["Algorithm", "Connector"],
    }),
    system: z.boolean().meta({ description: "System algorithms do not accept orders." }),
    dma: z.boolean().meta({ description: "The service provides direct market access." }),
    enabled: z.boolean().meta({ description: "Whether the service currently accepts orders." }),
    status: serviceStatus.nullable().meta({ description: "Trade connectors only; null for others." }),
  })
  .meta({ id: "Service" });

const name = text.meta({ description: "Name of the service." });

/** Service operations. */
export const serviceOperations = {
  listServices: operation({
    method: "GET",
    path: "/services",
    permission: null,
    lane: "read",
    tag: "Services",
    summary: "All services",
    in: "query",
    input: z.strictObject({}),
    output: z.array(service),
    target: [],
  }),
  getService: operation({
    method: "GET",
    path: "/services/{name}",
    permission: null,
    lane: "read",
    tag: "Services",
    summary: "One service",
    in: "query",
    input: z.strictObject({ name }),
    output: service,
    target: ["name"],
  }),
  disableService: operation({
    method: "POST",
    path: "/services/{name}/disable",
    permission: "ENABLE_DISABLE_SERVICE",
    lane: "stop",
    tag: "Services",
    summary: "Stop a service from accepting orders",
    in: "body",
    input: z.strictObject({ name, reason: reasonField("Service disabled") }),
    output: empty,
    target: ["name"],
  }),
  enableService: operation({
    method: "POST",
    path: "/services/{name}/enable",
    permission: "ENABLE_DISABLE_SERVICE",
    lane: "change",
    tag: "Services",
    summary: "Let a service accept orders again",
    in: "body",
    direction: "loosens",
    input: z.strictObject({ name, reason: reasonField("Service enabled") }),
    output: empty,
    target: ["name"],
  }),
};

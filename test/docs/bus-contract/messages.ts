import { z } from "zod";
import { busMethods } from "../../../src/core/operations/table.ts";
import { ENGINE_STATUS, MESSAGE_FAULT_CODES, REFUSAL_CODES } from "../../../transports/json-rpc/contract.ts";
import { contextSchema, paramsSchema } from "../../../transports/json-rpc/requests.ts";

/** Whole messages of the bus, for the published schemas; the two ends read messages with code that is faster. */

const version = z.literal("2.0");
const id = z.union([z.int(), z.string()]);

const codes = [...Object.values(REFUSAL_CODES), ...Object.values(MESSAGE_FAULT_CODES)];

const error = z.looseObject({
  code: z.int().meta({ examples: codes, description: "Reason, as a number. A code that is not known means -32603." }),
  message: z.string().meta({ description: "Reason, in words. That of -32001 reaches the caller unchanged." }),
});

const now = z.int().optional().meta({
  description:
    "Epoch milliseconds by the engine's clock when it sent the reply; only where the request had timeLeft, and the engine tells it.",
});

const context = contextSchema.meta({ id: "Context" });

const request = z.looseObject({
  jsonrpc: version,
  id: id.meta({ description: "Chosen by the gateway, never used twice on a connection; comes back in the reply." }),
  method: z.enum(busMethods).meta({ description: "Name of the operation." }),
  params: paramsSchema.extend({ context }),
});

const success = z.looseObject({
  jsonrpc: version,
  id,
  now,
  result: z.unknown().meta({ description: "Output of the operation; null where it has none." }),
  error: z.never().optional(),
});

const failure = z.looseObject({
  jsonrpc: version,
  id: id.nullable().meta({ description: "null where the message had no id that could be read." }),
  now,
  error,
  result: z.never().optional(),
});

const status = z.looseObject({
  jsonrpc: version,
  method: z.literal(ENGINE_STATUS),
  id: z.never().optional(),
  params: z.looseObject({
    overloaded: z.boolean().meta({ description: "true: send no more reads and changes. false: send again." }),
  }),
});

/** Schema and meaning of every kind of message, by the name of its file. */
export const MESSAGES = {
  context: { schema: context, summary: "What the engine is told of a request besides its input" },
  request: { schema: request, summary: "A request, gateway to engine, over WebSocket" },
  params: { schema: paramsSchema.extend({ context }), summary: "Payload of a request, gateway to engine, over NATS" },
  reply: { schema: z.union([success, failure]), summary: "The reply to a request, engine to gateway, over WebSocket" },
  "reply-payload": {
    schema: z.union([success.omit({ jsonrpc: true, id: true }), failure.omit({ jsonrpc: true, id: true })]),
    summary: "Payload of a reply, engine to gateway, over NATS",
  },
  [ENGINE_STATUS]: { schema: status, summary: "Whether the engine takes more requests, engine to gateway, WebSocket" },
} as const satisfies Record<string, { readonly schema: z.ZodType; readonly summary: string }>;

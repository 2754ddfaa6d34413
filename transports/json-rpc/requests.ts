import { z } from "zod";
import type { EngineContext, EngineRequest } from "../../src/core/engine/transport.ts";
import { type BusMethod, busMethods, busRecord, operations } from "../../src/core/operations/table.ts";
import { MESSAGE_FAULT_CODES, REFUSAL_CODES } from "./contract.ts";

/** Context of a request, besides its input (docs/engine/bus.md, "Requests"). Unknown members are ignored. */
export const contextSchema = z.looseObject({
  user: z.string().describe("Name of the authenticated user."),
  requestId: z.string().describe("Joins the records of gateway and engine."),
  deadline: z.int().describe("Epoch milliseconds after which nobody waits: drop the request, change nothing."),
  timeLeft: z
    .int()
    .optional()
    .describe(
      "Milliseconds until the deadline when the request was sent. Where it is given, count it from arrival: the clocks of both ends differ.",
    ),
  arrived: z
    .number()
    .optional()
    .describe(
      "Epoch milliseconds, by the engine's clock and perhaps with a fraction, at which a command arrived at its gateway. Effects are in this order.",
    ),
  arrivedWithin: z.number().nonnegative().optional().describe("How many milliseconds `arrived` may be off."),
  clock: z
    .string()
    .optional()
    .describe(
      "The `clock` of the replies from which `deadline` and `arrived` were derived. Of another clock than the engine's own, they say nothing.",
    ),
  traceparent: z.string().optional().describe("W3C Trace Context of the caller."),
});

export const paramsSchema = z.looseObject({
  input: z.record(z.string(), z.unknown()).describe("The operation's flat input, defaults filled in."),
  context: contextSchema,
});

/** A JSON-RPC request; notifications have no `id` and are not for engines. */
const requestSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.int(), z.string()]),
  method: z.string(),
  params: z.unknown().optional(),
});

const methods: ReadonlySet<string> = new Set(busMethods);

/** An invalid request, with its JSON-RPC error code. */
export class MessageFault extends Error {
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MessageFault";
    this.code = code;
  }
}

export type MessageId = number | string;

/** The engine's clock as a gateway knows it. */
export interface ClockOfEngine {
  /** Whole milliseconds to add to times. */
  readonly correctionMs: number;
  /** The engine's name for its clock, if it has one. */
  readonly id?: string | undefined;
  /** A monotonic time in that of the engine; undefined while that is not known. */
  arrival(at: number): Pick<EngineContext, "arrived" | "arrivedWithin"> | undefined;
}

/** `params` of a request, as JSON, with its times by the engine's clock. */
export function encodeParams({ input, context, arrival }: EngineRequest, clock?: ClockOfEngine): string {
  return JSON.stringify({ input, context: byClockOfEngine(context, arrival, clock) });
}

/** A whole JSON-RPC request, with its times by the engine's clock. */
export function encodeRequest(id: number, request: EngineRequest, clock?: ClockOfEngine): string {
  const { method, input, context, arrival } = request;
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    params: { input, context: byClockOfEngine(context, arrival, clock) },
  });
}

function byClockOfEngine(context: EngineContext, arrival?: number, clock?: ClockOfEngine): EngineContext {
  if (!clock) return context;
  const arrived = arrival === undefined ? undefined : clock.arrival(arrival);
  return { ...context, deadline: context.deadline + clock.correctionMs, ...arrived, clock: clock.id };
}

/** Parses JSON; throws {@link MessageFault}. */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MessageFault(MESSAGE_FAULT_CODES.parseError, "The message is not JSON", { cause });
  }
}

/** Id, method and params of a parsed request; throws {@link MessageFault}. */
export function readRequest(message: unknown): { id: MessageId; method: string; params: unknown } {
  const { success, data } = requestSchema.safeParse(message);
  if (success) return { id: data.id, method: data.method, params: data.params };
  throw new MessageFault(MESSAGE_FAULT_CODES.invalidRequest, "The message is not a JSON-RPC 2.0 request");
}

/** The engine request in `params`; throws {@link MessageFault} that names what is wrong. */
export function decodeParams(method: string, params: unknown): EngineRequest {
  if (!methods.has(method)) {
    throw new MessageFault(REFUSAL_CODES.unsupported, `The contract has no method "${method}"`);
  }
  const { success, data, error } = paramsSchema.safeParse(params);
  if (!success) {
    throw new MessageFault(MESSAGE_FAULT_CODES.invalidParams, `params: ${z.prettifyError(error)}`);
  }
  const name = method as BusMethod;
  const { user, requestId, deadline, timeLeft, arrived, arrivedWithin, clock, traceparent } = data.context;
  return {
    method: name,
    input: data.input,
    lane: busRecord(operations, name).lane,
    context: {
      user,
      requestId,
      deadline,
      timeLeft,
      ...(arrived !== undefined && { arrived }),
      ...(arrivedWithin !== undefined && { arrivedWithin }),
      ...(clock !== undefined && { clock }),
      traceparent,
    },
  };
}

/** Bytes at the head and the tail of a message that are searched for its id. */
const HEAD_BYTES = 300;
const TAIL_BYTES = 80;

/** The id as first member, or behind the version; nested ids must not match. */
const ID_AT_HEAD = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"[^"]{0,9}"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]/;
/** The id as last member, or before the engine's time. */
const ID_AT_TAIL = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"now"\s*:\s*\d{1,15}\s*)?\}\s*$/;

/** The id of a message that is too long or not JSON, if it can be found. */
export function salvageId(message: Buffer): number | undefined {
  const match = ID_AT_HEAD.exec(message.toString("latin1", 0, HEAD_BYTES));
  return match ? Number(match[1]) : undefined;
}

/** The same for a message that is only too long, so that its tail ends the outermost object. */
export function salvageIdOfLong(message: Buffer): number | undefined {
  const atHead = salvageId(message);
  if (atHead !== undefined) return atHead;
  const match = ID_AT_TAIL.exec(message.toString("latin1", Math.max(0, message.length - TAIL_BYTES)));
  return match ? Number(match[1]) : undefined;
}

import type { Call } from "./call.ts";
import { AdminError, type AdminErrorCode } from "./errors.ts";
import { type LongList, partsOf } from "./long-list.ts";
import type { EngineRefusal, EngineReply, EngineRequest } from "./transport.ts";

/** Makes the engine request of a call. */
export function engineRequest(call: Call, input: unknown, deadline: number): EngineRequest {
  return {
    method: call.name,
    input,
    lane: call.operation.lane,
    context: {
      user: call.principal.name,
      requestId: call.requestId,
      deadline,
      traceparent: call.context.traceparent,
    },
  };
}

const REFUSALS: Readonly<Record<EngineRefusal, AdminErrorCode>> = {
  rejected: "REJECTED",
  "not-found": "NOT_FOUND",
  overloaded: "ENGINE_OVERLOADED",
  unavailable: "ENGINE_UNAVAILABLE",
  internal: "ENGINE_FAILED",
};

/** The output in an engine's reply, checked against the operation; throws {@link AdminError} for a refusal. */
export function decodeReply(call: Call, reply: EngineReply): unknown {
  if (!reply.ok) throw refusal(reply.refusal, reply.message);
  return decodeResult(call, reply.result);
}

/** The same for a reply with many rows, some rows at each step. */
export function* decodeInSteps(call: Call, { rows, field, with: withRows }: LongList): Generator<void, unknown> {
  const decoded: unknown[] = [];
  let rest: unknown;
  for (const part of partsOf(rows)) {
    rest = decodeResult(call, withRows(part));
    decoded.push(...rowsIn(rest, field));
    yield;
  }
  return field === undefined ? decoded : { ...(rest as object), [field]: decoded };
}

function rowsIn(decoded: unknown, field: string | undefined): readonly unknown[] {
  const rows = field === undefined ? decoded : (decoded as Record<string, unknown>)[field];
  return rows as readonly unknown[];
}

function decodeResult(call: Call, result: unknown): unknown {
  if (call.conforms(result)) return result;
  const output = call.operation.output.safeParse(result);
  if (output.success) return output.data;
  throw new AdminError("ENGINE_FAILED", "The engine's answer was not understood; details are in the monitor log", {
    cause: output.error,
  });
}

/** The engine's reason reaches the caller unchanged, but for its internal failures (decision D-HTTP 7). */
function refusal(kind: EngineRefusal, reason: string): AdminError {
  if (kind !== "internal") return new AdminError(REFUSALS[kind], reason);
  return new AdminError(REFUSALS[kind], "The engine failed to handle the request; details are in the monitor log", {
    cause: new Error(reason),
  });
}

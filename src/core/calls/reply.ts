import type { EngineRefusal, EngineReply, EngineRequest } from "../engine/transport.ts";
import { AdminError, type AdminErrorCode, replyNotUnderstood } from "../errors.ts";
import { compileConformity } from "../validation/conformity.ts";
import type { Call } from "./call.ts";

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

/** The result in an engine's reply; throws {@link AdminError} for a refusal. */
export function resultOf(reply: EngineReply): unknown {
  if (reply.ok) return reply.result;
  throw refusal(reply.refusal, reply.message);
}

/** Checks a result, or some of its rows, against the operation's output schema; throws `ENGINE_FAILED` for any other result. */
export function checkedOutput({ operation: { output: schema } }: Call, result: unknown): unknown {
  if (compileConformity(schema)(result)) return result;
  const output = schema.safeParse(result);
  if (output.success) return output.data;
  throw replyNotUnderstood(output.error);
}

/** The engine's reason is passed to the caller unchanged, except for internal failures (decision D-HTTP 19). */
function refusal(kind: EngineRefusal, reason: string): AdminError {
  if (kind !== "internal") return new AdminError(REFUSALS[kind], reason);
  return new AdminError(REFUSALS[kind], "The engine failed to handle the request; details are in the monitor log", {
    cause: new Error(reason),
  });
}

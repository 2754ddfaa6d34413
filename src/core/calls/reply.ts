import type { EngineRefusal, EngineReply, UnsentRequest } from "../engine/transport.ts";
import { AdminError, type AdminErrorCode, replyNotUnderstood } from "../errors.ts";
import type { BusMethod, CallName } from "../operations/table.ts";
import { compileConformity, faultsIn } from "../validation/conformity.ts";
import { InvalidFields } from "../validation/invalid-fields.ts";
import { mended, UNUSABLE } from "../validation/mending.ts";
import type { Call } from "./call.ts";

/** Makes the engine request of a call, whose reply is due at a monotonic moment. */
export function engineRequest(call: Call<BusMethod>, input: unknown, due: number): UnsentRequest {
  return {
    method: call.name,
    input,
    lane: call.operation.lane,
    arrival: call.operation.lane === "read" ? undefined : call.arrival.at,
    due,
    context: { user: call.principal.name, requestId: call.requestId, traceparent: call.context.traceparent },
  };
}

const REFUSALS: Readonly<Record<EngineRefusal, AdminErrorCode>> = {
  rejected: "REJECTED",
  "not-found": "NOT_FOUND",
  "stop-came-first": "STOP_CAME_FIRST",
  unsupported: "NOT_SUPPORTED",
  overloaded: "ENGINE_OVERLOADED",
  unavailable: "ENGINE_UNAVAILABLE",
  "not-understood": "REJECTED",
  internal: "ENGINE_FAILED",
};

/** The result in an engine's reply to an operation; throws {@link AdminError} for a refusal. */
export function resultOf(name: BusMethod, reply: EngineReply): unknown {
  if (reply.ok) return reply.result;
  throw refusal(name, reply);
}

/**
 * Checks a result, or some of its rows, against the operation's output schema, and returns what is right in it (decision D-VAL 11); what is
 * not is added to the call. Throws `ENGINE_FAILED` where nothing can be shown.
 */
export function checkedOutput(call: Call<CallName>, result: unknown): unknown {
  const { output: schema } = call.operation;
  if (compileConformity(schema)(result)) return result;
  call.invalid ??= new InvalidFields();
  const output = mended(schema, result, call.invalid);
  if (output !== UNUSABLE) return output;
  return conformingOutput(call, result);
}

/** The same for a result of which no part will do, as what is decided by it. */
export function conformingOutput({ name, operation: { output: schema } }: Call<CallName>, result: unknown): unknown {
  if (compileConformity(schema)(result)) return result;
  const output = schema.safeParse(result);
  if (output.success) return output.data;
  throw replyNotUnderstood(new Error(nonconforming(name, faultsIn(output.error, "the result"))));
}

/** Fields of a result of which an error says what is wrong: a list of 10,000 rows may have as many. */
const FAULTS_SHOWN = 5;

function nonconforming(name: CallName, faults: readonly string[]): string {
  const more = faults.length > FAULTS_SHOWN ? [`${faults.length - FAULTS_SHOWN} more`] : [];
  return `The result of ${name} does not conform to its schema: ${[...faults.slice(0, FAULTS_SHOWN), ...more].join("; ")}`;
}

type EngineRefused = Extract<EngineReply, { readonly ok: false }>;

const OWN_WORDS: Partial<Record<EngineRefusal, (name: BusMethod, reason: string) => string>> = {
  unsupported: (name) => `The engine does not support ${name}`,
  "not-understood": (name, reason) => `The engine did not understand ${name}; nothing was changed: ${reason}`,
  internal: () => "The engine failed to handle the request; details are in the monitor log",
};

/**
 * The engine's reason is passed to the caller unchanged (decision D-HTTP 19), except where it is about a fault of the engine, or about
 * methods of the bus.
 */
function refusal(name: BusMethod, { refusal: kind, message, cause = new Error(message) }: EngineRefused): AdminError {
  const ownWords = OWN_WORDS[kind]?.(name, message);
  return ownWords === undefined
    ? new AdminError(REFUSALS[kind], message)
    : new AdminError(REFUSALS[kind], ownWords, { cause });
}

import type { EngineLink } from "../engine/engine-link.ts";
import type { EngineReply } from "../engine/transport.ts";
import { AdminError } from "../errors.ts";
import type { Listeners } from "../events.ts";
import type { Prepared } from "../operations/operation.ts";
import { type AuditDetails, type AuditTrail, recordedInput } from "../records/audit-trail.ts";
import type { AuditStage } from "../records/record.ts";
import type { Call } from "./call.ts";
import { engineRequest, resultOf } from "./reply.ts";
import type { StopOrder } from "./stop-order.ts";

export interface MutationParts {
  readonly link: EngineLink;
  readonly trail: AuditTrail;
  readonly stops: StopOrder;
  readonly listeners: Listeners;
  /** Checks a result of the engine. */
  readonly output: (call: Call, result: unknown) => unknown;
}

/**
 * Records the intent of a mutation, sends it, records what became of it (decisions D-ENG 3, D-LOG 1, D-LOG 3, D-LOAD 1). The time
 * that a policy and the record take is part of the caller's wait, which ends at `deadline`, epoch milliseconds.
 */
export async function performMutation(
  parts: MutationParts,
  call: Call,
  { input, warning }: Prepared<Readonly<Record<string, unknown>>>,
  deadline: number,
): Promise<unknown> {
  const { trail, link, stops } = parts;
  const details: AuditDetails = { ...recordedInput(input, true), ...(warning !== undefined && { message: warning }) };
  await trail.intent(call, details, deadline, () => stops.recorded(call));
  let isSent = false;
  try {
    stops.check(call, input);
    isSent = true;
    const sent = link.send(engineRequest(call, input, deadline), (late) => void recordLate(parts, call, details, late));
    stops.left(call);
    const output = await parts.output(call, resultOf(await sent));
    await recordApplied(trail, call, { ...details, after: call.operation.after?.(input, output) });
    return output;
  } catch (thrown) {
    const error = isSent ? afterSending(thrown) : AdminError.from(thrown);
    await recordFailure(trail, call, details, error);
    throw error;
  }
}

/** What fails unforeseen once a command may have been sent does not say that it was not. */
function afterSending(thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown;
  const message = "Unexpected failure after the command was sent; details are in the monitor log";
  return new AdminError("ENGINE_FAILED", message, { cause: thrown });
}

async function recordApplied(trail: AuditTrail, call: Call, details: AuditDetails): Promise<void> {
  const kept = await trail.keep(trail.record(call, "applied", { ...details, status: 200 }), trail.timeoutOf(call));
  if (kept || call.operation.lane === "stop") return;
  throw new AdminError("OUTCOME_NOT_RECORDED", "The engine accepted the change, but this could not be recorded");
}

async function recordFailure(trail: AuditTrail, call: Call, details: AuditDetails, error: AdminError): Promise<void> {
  if (error.code === "OUTCOME_NOT_RECORDED") return;
  const { status, outcome, message } = error;
  await trail.keep(trail.record(call, outcome, { ...details, status, message }), trail.timeoutOf(call));
}

async function recordLate(parts: MutationParts, call: Call, details: AuditDetails, reply: EngineReply): Promise<void> {
  const stage: AuditStage = reply.ok ? "applied late" : "rejected late";
  const record = parts.trail.record(call, stage, {
    ...details,
    ...(reply.ok ? { after: await afterLate(parts, call, details, reply.result) } : { message: reply.message }),
  });
  parts.listeners.emit("lateReply", record);
  await parts.trail.keep(record, parts.trail.timeoutOf(call));
}

/** What a late reply shows besides; one that is not understood was sent by an engine that applied the command all the same. */
async function afterLate(
  parts: MutationParts,
  call: Call,
  { input }: AuditDetails,
  result: unknown,
): Promise<readonly unknown[] | undefined> {
  try {
    return call.operation.after?.(input, await parts.output(call, result));
  } catch {
    return undefined;
  }
}

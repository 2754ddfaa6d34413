import type { AuditStage } from "./audit.ts";
import type { AuditDetails, AuditTrail } from "./audit-trail.ts";
import type { Call } from "./call.ts";
import type { EngineLink } from "./engine-link.ts";
import { AdminError } from "./errors.ts";
import type { Listeners } from "./events.ts";
import type { Prepared } from "./operation.ts";
import { decodeReply, engineRequest } from "./reply.ts";
import type { EngineReply } from "./transport.ts";

export interface MutationParts {
  readonly link: EngineLink;
  readonly trail: AuditTrail;
  readonly listeners: Listeners;
}

/** Records the intent of a mutation, sends it, records what became of it (decisions D-ENG 3, D-LOG 1 to 3). */
export async function performMutation(
  parts: MutationParts,
  call: Call,
  prepared: Prepared<Record<string, unknown>>,
): Promise<unknown> {
  const { trail, link } = parts;
  const details: AuditDetails = {
    parameters: prepared.input,
    ...(prepared.warning !== undefined && { message: prepared.warning }),
  };
  await trail.intent(call, details);
  try {
    const request = engineRequest(call, prepared.input, link.deadline());
    const reply = await link.send(request, (late) => recordLate(parts, call, details, late));
    const output = decodeReply(call, reply);
    await recordApplied(trail, call, details);
    return output;
  } catch (error) {
    await recordFailure(trail, call, details, AdminError.from(error));
    throw error;
  }
}

async function recordApplied(trail: AuditTrail, call: Call, details: AuditDetails): Promise<void> {
  const kept = await trail.keep(trail.record(call, "applied", { ...details, status: 200 }), call.operation.lane);
  if (kept || call.operation.lane === "stop") return;
  throw new AdminError("OUTCOME_NOT_RECORDED", "The engine accepted the change, but this could not be recorded");
}

async function recordFailure(trail: AuditTrail, call: Call, details: AuditDetails, error: AdminError): Promise<void> {
  if (error.code === "OUTCOME_NOT_RECORDED") return;
  const { status, outcome, message } = error;
  await trail.keep(trail.record(call, outcome, { ...details, status, message }), call.operation.lane);
}

function recordLate(parts: MutationParts, call: Call, details: AuditDetails, reply: EngineReply): void {
  const stage: AuditStage = reply.ok ? "applied late" : "rejected late";
  const record = parts.trail.record(call, stage, {
    ...details,
    ...(!reply.ok && { message: reply.message }),
  });
  parts.listeners.emit("lateAnswer", record);
  void parts.trail.keep(record, call.operation.lane);
}

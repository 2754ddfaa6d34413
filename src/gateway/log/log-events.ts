import type { LinkEvent } from "../../../transports/link/link.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import { TransportError } from "../../core/engine/transport.ts";
import type { Logger } from "../../core/logger.ts";
import type { AuditRecord } from "../../core/records/record.ts";

const LOST_RECORD = "AUDIT RECORD LOST: a stop is sent without it, a change is refused";
const LOST_COUNT = "AUDIT RECORD LOST: failed logins or refusals are not recorded";
const LATE_RECORD = "AUDIT RECORD LATE: a stop is sent without it, a change is refused";
const KEPT_RECORD = "AUDIT RECORD KEPT: it was late and is not lost";

/** Writes what the API reports besides audit records to the log. */
export function logEvents(api: AdminApi, log: Logger): void {
  api.on("failure", ({ operation, requestId, error }) =>
    log.error(error.message, { requestId, operation, code: error.code, cause: describeCause(error.cause) }),
  );
  api.on("auditFailure", ({ record, error, pending }) =>
    log.error(pending ? LATE_RECORD : lost(record), { ...whichRecord(record), cause: describeCause(error) }),
  );
  api.on("lateRecord", ({ record, error }) => {
    if (error === undefined) log.warn(KEPT_RECORD, whichRecord(record));
    else log.error(lost(record), { ...whichRecord(record), cause: describeCause(error) });
  });
  api.on("lateReply", ({ operation, stage, user, requestId }) =>
    log.warn(`The engine replied after the deadline: ${stage}`, { requestId, operation, user }),
  );
}

function lost({ operation }: AuditRecord): string {
  return operation === null ? LOST_COUNT : LOST_RECORD;
}

function whichRecord({ requestId, operation, stage, user }: AuditRecord): Readonly<Record<string, unknown>> {
  return { requestId, operation, stage, user };
}

/** Writes what happens on the link to the engine to the log. */
export function logLinkEvent({ kind, message }: LinkEvent, log: Logger): void {
  if (kind === "up") log.info(message);
  else if (kind === "down") log.error(message);
  else log.warn(message);
}

function describeCause(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  // A link that is away is no fault of the program: its reason is enough, and there may be many such lines.
  if (cause instanceof TransportError && cause.cause === undefined) return cause.message;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

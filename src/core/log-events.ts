import { type Clock, systemClock } from "./clock.ts";
import { TransportError } from "./engine/transport.ts";
import { AdminError } from "./errors.ts";
import type { AdminEvents, Listeners } from "./events.ts";
import { harmlessLog } from "./host-calls.ts";
import { type Logger, processWarnings } from "./logger.ts";
import { type Operations, operationRecord } from "./operations/table.ts";
import { type CountedEvents, EventLimiter } from "./records/event-limiter.ts";
import type { AuditRecord } from "./records/record.ts";

const LOST_RECORD = "AUDIT RECORD LOST: a stop is sent without it, a change is refused";
const LOST_COUNT = "AUDIT RECORD LOST: failed logins or refusals are not recorded";
const LATE_RECORD = "AUDIT RECORD LATE: a stop is sent without it, a change is refused";
const KEPT_RECORD = "AUDIT RECORD KEPT: it was late and is not lost";

/** Lines in a minute about equal failures of one operation: while the engine is unavailable each read of a dashboard fails. */
const MAX_FAILURES = 20;

/** Lines about commands that were cut off together; the record of the others has their ids. */
const MAX_CUT_OFF = 20;

/** An API, as far as its events are logged. */
export interface EventSource {
  readonly operations: Operations;
  readonly on: Listeners["on"];
}

/**
 * Writes what the API reports to the log of its host; without one, what nobody listens to becomes a warning of the process (decision D-LOG 27). The
 * returned function writes what was only counted.
 */
export function logOrWarn(
  { operations }: Pick<EventSource, "operations">,
  { on, unlessHeard }: Listeners,
  log: Logger | undefined,
  clock: Clock,
): () => Promise<void> {
  if (log) return logEvents({ operations, on }, harmlessLog(log), clock);
  const warnings = processWarnings("give AdminApi a `log`, or listen with `api.on`, to have this elsewhere", clock);
  return logEvents({ operations, on: unlessHeard }, warnings, clock);
}

type Failure = AdminEvents["failure"];

/** Stands for failures of all further kinds. */
const MANY_KINDS = new AdminError("INTERNAL", "of many different kinds");

/** Writes what the API reports besides audit records to the log. The returned function writes what was only counted. */
export function logEvents(api: EventSource, log: Logger, clock: Clock = systemClock): () => Promise<void> {
  const groupOf = ({ operation, error: { code, message, cause } }: Failure): string =>
    JSON.stringify([operation, code, message, cause instanceof Error ? cause.message : undefined]);
  const failures = new EventLimiter<Failure>({
    clock,
    limit: MAX_FAILURES,
    groupOf,
    withoutGroup: ({ requestId }) => ({ requestId, operation: null, error: MANY_KINDS }),
    report: (counted) => logCounts(log, counted),
  });
  api.on("failure", (failure) => {
    if (!failures.pass(failure)) return;
    const { operation, requestId, error } = failure;
    log.error(error.message, { requestId, operation, code: error.code, cause: describeCause(error.cause) });
  });
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
  logNoticed(api, log);
  const closers = [logInvalidReplies(api, log, clock), logContradictions(api, log, clock), () => failures.close()];
  return async () => {
    await Promise.all(closers.map((close) => close()));
  };
}

type Contradiction = AdminEvents["contradiction"];

/** Writes that the engine, or somebody in its place, contradicted itself. The returned function writes what was only counted. */
function logContradictions(api: EventSource, log: Logger, clock: Clock): () => Promise<void> {
  const write = ({ operation, user, requestId, message }: Contradiction, text = message): void =>
    log.error(text, { requestId, operation, user });
  const contradictions = new EventLimiter<Contradiction>({
    clock,
    limit: MAX_FAILURES,
    groupOf: ({ operation }) => operation,
    withoutGroup: (contradiction) => contradiction,
    report: ([counted]) => {
      if (counted)
        write(counted.first, `${counted.count} more replies contradict earlier ones: ${counted.first.message}`);
    },
  });
  api.on("contradiction", (contradiction) => {
    if (contradictions.pass(contradiction)) write(contradiction);
  });
  return () => contradictions.close();
}

/** Writes what was noticed about stops, and about commands that were cut off. */
function logNoticed(api: EventSource, log: Logger): void {
  const details = ({ operation, target, user, since, requestId }: AuditRecord): Readonly<Record<string, unknown>> => ({
    operation,
    target,
    user,
    since,
    requestId,
  });
  api.on("stateLost", (record) => log.error(record.message ?? record.stage, details(record)));
  api.on("stateShown", (record) => log.warn(record.message ?? record.stage, details(record)));
  api.on("cutOff", ({ record, intents }) => {
    log.error(`${record.message}; each may have been applied, so read the state`, { ids: record.ids });
    for (const intent of intents.slice(0, MAX_CUT_OFF)) log.error(cutOffWords(intent, record, api), details(intent));
  });
}

function cutOffWords(
  { operation, target, user, time, gateway }: AuditRecord,
  told: AuditRecord,
  api: EventSource,
): string {
  const { confirmedBy, before } = operation === null ? {} : operationRecord(api.operations, operation);
  const read = confirmedBy?.read ?? before?.operation;
  const what = target === null || target === "" ? operation : `${operation} of ${target}`;
  const where = gateway === told.gateway ? "" : ` at gateway ${JSON.stringify(gateway)}`;
  return `Cut off: ${what} by ${user} at ${time}${where}; it may have been applied${read === undefined ? "" : `: ${read} shows it`}`;
}

function logCounts(log: Logger, counted: readonly CountedEvents<Failure>[]): void {
  for (const { first, count } of counted) {
    const { operation, requestId, error } = first;
    log.error(`${count} more failures: ${error.message}`, { requestId, operation, code: error.code, count });
  }
}

function lost({ operation }: AuditRecord): string {
  return operation === null ? LOST_COUNT : LOST_RECORD;
}

function whichRecord({ requestId, operation, stage, user }: AuditRecord): Readonly<Record<string, unknown>> {
  return { requestId, operation, stage, user };
}

function describeCause(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  // A link that is down is not a fault of the program: its reason is enough, and there may be many such lines.
  if (cause instanceof TransportError && cause.cause === undefined) return cause.message;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

/** Lines in a minute about equal faults in the replies to one operation: each read of a dashboard has them. */
const MAX_INVALID = 1;

const MANY_PLACES = "The engine's replies break the contract in many different places";

type InvalidReply = AdminEvents["invalidReply"];

/** Writes what is not shown of the engine's replies to the log. The returned function writes what was only counted. */
function logInvalidReplies(api: EventSource, log: Logger, clock: Clock): () => Promise<void> {
  const groupOf = ({ operation, message }: InvalidReply): string => `${operation} ${message}`;
  const replies = new EventLimiter<InvalidReply>({
    clock,
    limit: MAX_INVALID,
    groupOf,
    withoutGroup: (reply) => ({ ...reply, message: MANY_PLACES }),
    report: (counted) => {
      for (const { first, count } of counted) {
        const { operation, requestId, message } = first;
        log.warn(`${count} more replies: ${message}`, { requestId, operation, count });
      }
    },
  });
  api.on("invalidReply", (reply) => {
    const { operation, requestId, count, message } = reply;
    if (replies.pass(reply)) log.warn(message, { requestId, operation, fields: count });
  });
  return () => replies.close();
}

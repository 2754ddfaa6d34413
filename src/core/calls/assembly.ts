import { hostname } from "node:os";
import type { AdminApiOptions } from "../admin-api-options.ts";
import type { Clock } from "../clock.ts";
import { DEFAULT_CAPACITIES, DEFAULT_LARGE_REPLIES, DEFAULT_USER_SHARE, EngineLink } from "../engine/engine-link.ts";
import type { UnsentRequest } from "../engine/transport.ts";
import type { Listeners } from "../events.ts";
import type { Gate } from "../load/gate.ts";
import type { Operations, Output } from "../operations/table.ts";
import { PolicyCheck } from "../policy/policy-check.ts";
import { type Principal, permissionsNow } from "../principal.ts";
import { AuditTrail } from "../records/audit-trail.ts";
import { LastCommands } from "../records/last-commands.ts";
import { FailedLogins, Refusals } from "../records/limited-records.ts";
import type { AuditRecord } from "../records/record.ts";
import { CutOffWatch } from "../stops/cut-off-watch.ts";
import { HaltList } from "../stops/halt-list.ts";
import { KnownStops } from "../stops/known-stops.ts";
import { StopCheck } from "../stops/stop-check.ts";
import { stopKinds } from "../stops/stoppable.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import type { ProjectionKeys } from "../values/projection.ts";
import { Admission } from "./admission.ts";
import { type Answers, extensionCalls } from "./extension-calls.ts";
import { Mutations } from "./mutations.ts";
import { OptionalReads } from "./optional-reads.ts";
import { Reads } from "./reads.ts";

const READ_CONTRADICTED = "Two replies to one read contradict each other; the caller was sent the first";

interface Shared {
  readonly clock: Clock;
  readonly gate: Gate;
  readonly operations: Operations;
  readonly unknownFields: UnknownFields;
  readonly keys: ProjectionKeys;
  readonly listeners: Listeners;
}

/** The parts of an API, put together by {@link assemble}. */
export type ApiParts = ReturnType<typeof assemble>;

/** Puts the parts of an API together: what carries calls out, records them, and compares what was stopped. */
export function assemble(options: AdminApiOptions, shared: Shared) {
  const { timeoutMs = 10_000, audit, authorize, transport } = options;
  const { clock, gate, listeners, operations, keys } = shared;
  const gateway = options.gateway ?? hostname();
  const isOn = options.stopCheck ?? true;
  const onReadContradicted = ({ method, context: { user, requestId } }: UnsentRequest): void =>
    listeners.emit("contradiction", { operation: method, requestId, user, message: READ_CONTRADICTED });
  const capacities = { ...DEFAULT_CAPACITIES, ...options.capacities };
  const { userShare = DEFAULT_USER_SHARE, largeReplies = DEFAULT_LARGE_REPLIES } = options;
  const ofLink = { transport, clock, gate, timeoutMs, operations, capacities, userShare, largeReplies };
  const link = new EngineLink({ ...ofLink, onReadContradicted });
  const onLapsed = (requests: readonly AuditRecord[]): Promise<boolean> =>
    trail.keep(trail.lapsedRecord(requests), timeoutMs);
  const commands = new LastCommands({ clock, onLapsed });
  const trail = new AuditTrail({ sink: commands.noting(audit), gateway, clock, timeoutMs, listeners, gate });
  const refusals = new Refusals(trail, clock);
  const failedLogins = new FailedLogins(trail, clock, listeners);
  const reads = new Reads({ ...shared, link, gateway });
  const ofPolicy = { clock, timeoutMs, trail, listeners, reads, stopKinds: stopKinds(operations) };
  const policy = authorize && new PolicyCheck({ ...ofPolicy, policy: authorize });
  const admission = new Admission({ ...shared, link, timeoutMs, refusals, policy, reads });
  const stops = new KnownStops(operations, keys, clock, timeoutMs);
  const mutations = new Mutations({ admission, link, gate, trail, listeners, keys, known: stops, clock });
  const cutOff = new CutOffWatch({ ...shared, trail, neighbours: options.neighbours });
  const stopCheck = new StopCheck({ ...shared, stops, reads, transport, trail, cutOff, isOn });
  const optionalReads = new OptionalReads({ reads, clock });
  const halts = new HaltList({ ...shared, stops, reads, optionalReads, link, recalling: () => stopCheck.recalling });
  const answers: Answers = {
    listHalts: (call) => halts.list(call),
    whoami: ({ principal }) => identityOf(principal),
    describeEngine: (call) => optionalReads.description(call, link.due()),
  };
  return {
    link,
    refusals,
    failedLogins,
    optionalReads,
    reads,
    mutations,
    runExtension: extensionCalls({ ...shared, answers }),
    stops,
    stopCheck,
    cutOff,
    commands,
  };
}

function identityOf(principal: Principal): Output<"whoami"> {
  const { name, authentication, tokenExpires = null } = principal;
  return { name, authentication, permissions: [...permissionsNow(principal)].sort(), expires: tokenExpires };
}

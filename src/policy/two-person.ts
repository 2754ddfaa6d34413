import { systemClock } from "../core/clock.ts";
import { type OperationName, operationRecord, operations } from "../core/operations/table.ts";
import {
  CLOCK,
  functionLike,
  ifGiven,
  methodsOf,
  optionsOf,
  restrictionLike,
  SOME_MS,
  textLike,
} from "../core/options.ts";
import { type Policy, policyMakers } from "../core/policy/policy.ts";
import { stopKinds } from "../core/stops/stoppable.ts";
import { didYouMean } from "../core/values/near-names.ts";
import { Approvals, type TwoPersonOptions } from "./decision.ts";
import { MemoryApprovals } from "./memory-approvals.ts";

const checked = optionsOf<TwoPersonOptions>("twoPerson", {
  operations: restrictionLike('["resumeTrading"]'),
  withinMs: ifGiven(SOME_MS),
  store: ifGiven(methodsOf(["put", "list", "take"], "{ put, list, take }")),
  gateway: ifGiven(textLike('"london-1"')),
  permissionsOf: ifGiven(functionLike("(user) => permissions.get(user)")),
  storeTimeoutMs: ifGiven(SOME_MS),
  clock: ifGiven(CLOCK),
});

/**
 * Allows a change only when a second user sends the same one in time. The first call is refused with a message that explains this,
 * and its audit record has the annotation `awaitedUntil`. Two calls are the same if their operation and input are equal, except for the reason. The audit records of the second call have the
 * annotations `requestedBy`, `requestedAt`, `requestId` and `requestReason` of the first. Whoever sends the same command after that is
 * refused once with that information, so that people who do not see each other send once what was requested once. A stop voids the
 * requests to take it back; so does one that came another way, once the engine shows its reason in place of that of the stop before.
 *
 * @throws TypeError for an operation that is not a change, and without any.
 */
export function twoPerson(options: TwoPersonOptions): Policy {
  const { operations: names, withinMs = 300_000, clock = systemClock } = checked(options);
  for (const name of names) requireChange(name);
  const needed = new Set<OperationName>(names);
  const store = options.store ?? new MemoryApprovals(clock, withinMs);
  const approvals = new Approvals({ ...options, withinMs, clock, store, isShared: options.store !== undefined });
  const stops = new Map(stopKinds(operations).map((kind) => [kind.stop, kind]));
  return (request) => {
    if (needed.has(request.operation)) return approvals.decide(request);
    const kind = stops.get(request.operation);
    // A stop waits for nothing here: where the store is unavailable, no change is sent either.
    if (kind && needed.has(kind.undo))
      approvals.stopped(request, kind).catch((cause) => request.context.report(notVoided(cause)));
    return undefined;
  };
}

function notVoided(cause: unknown): Error {
  const effect =
    "until one comes to this gateway again, whoever sends one at another takes the stop back with the consent of a user who may not know of it";
  return new Error(`requests to take the stop back could not be voided: ${effect}`, { cause });
}

function requireChange(name: OperationName): void {
  if (!Object.hasOwn(operations, name))
    throw new TypeError(
      `twoPerson knows no operation ${JSON.stringify(name)}${didYouMean(name, Object.keys(operations))}`,
    );
  const { lane } = operationRecord(operations, name);
  if (lane === "stop") throw new TypeError(`${name} is a stop, and a stop never needs a second person`);
  if (lane === "read") throw new TypeError(`${name} is a read; only changes need a second person`);
}

policyMakers(twoPerson);

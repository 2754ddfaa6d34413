import { ConfigurationError } from "../config/configuration-error.ts";
import type { Settings } from "../config/settings.ts";
import type { Policy } from "../core/policy/policy.ts";
import { messageOf } from "../core/values/basics.ts";
import {
  type ApprovalStore,
  allOf,
  freeze,
  onlyPaths,
  readOnly,
  stopOnly,
  type TwoPersonOptions,
  twoPerson,
} from "../policy/index.ts";
import type { OpenedEngine } from "./engine/opened-engine.ts";
import { nameOfGateway } from "./from-settings.ts";

/** Dependencies of policies on the engine, users and other gateways. */
export interface PolicySurroundings extends Pick<OpenedEngine, "projectionKeys" | "clock"> {
  readonly permissionsOf: TwoPersonOptions["permissionsOf"];
  /** Where changes wait for a second person at any gateway. */
  readonly approvals: ApprovalStore | undefined;
}

/**
 * The policies that the settings ask for, as one; undefined without any. Throws {@link ConfigurationError} for a path that is none.
 */
export function openPolicy(settings: Settings, surroundings: PolicySurroundings): Policy | undefined {
  const policies = policiesOf(settings, surroundings);
  return policies.length === 0 ? undefined : allOf(...policies);
}

function policiesOf(settings: Settings, surroundings: PolicySurroundings): Policy[] {
  const { projectionKeys, clock } = surroundings;
  const policies: Policy[] = [];
  const stopOnlyUsers = settings["admin.policy.stop-only"];
  const windows = settings["admin.policy.freeze.windows"];
  if (settings["admin.policy.read-only"]) policies.push(readOnly());
  if (stopOnlyUsers === true) policies.push(stopOnly());
  else if (stopOnlyUsers && stopOnlyUsers.length > 0) policies.push(stopOnly(stopOnlyUsers));
  const timeZone = settings["admin.policy.freeze.time-zone"];
  if (windows.length > 0) policies.push(freeze({ windows, timeZone, ...(clock && { engineClock: clock }) }));
  for (const [user, paths] of Object.entries(settings["admin.policy.paths.*"] ?? {})) {
    policies.push(pathPolicy(user, paths, projectionKeys));
  }
  // It remembers who asked, so it is asked last.
  return [...policies, ...twoPersonPolicy(settings, surroundings)];
}

function twoPersonPolicy(settings: Settings, { approvals, permissionsOf }: PolicySurroundings): Policy[] {
  const operations = settings["admin.policy.two-person.operations"];
  if (!operations) return [];
  const withinMs = settings["admin.policy.two-person.within"];
  const timeoutMs = settings["admin.engine.request-timeout"];
  const shared = approvals && {
    store: approvals,
    gateway: nameOfGateway(settings),
    ...(permissionsOf && { permissionsOf }),
  };
  return [twoPerson({ operations, withinMs, storeTimeoutMs: timeoutMs / 2, ...shared })];
}

function pathPolicy(user: string, paths: string[], projectionKeys: readonly string[]): Policy {
  try {
    return onlyPaths({ [user]: paths }, projectionKeys);
  } catch (cause) {
    throw new ConfigurationError(`admin.policy.paths.${user}: ${messageOf(cause)}`, { cause });
  }
}

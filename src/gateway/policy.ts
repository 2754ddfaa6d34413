import type { KnownUser } from "../auth/names.ts";
import { nameKey } from "../auth/names.ts";
import { ConfigurationError } from "../config/configuration-error.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger } from "../core/logger.ts";
import type { Policy } from "../core/policy/policy.ts";
import { messageOf } from "../core/values/basics.ts";
import { allOf, freeze, onlyPaths, readOnly, stopOnly, twoPerson } from "../policy/index.ts";
import type { OpenedEngine } from "./engine/opened-engine.ts";

/** What policies ask of the engine. */
export type PolicyEngine = Pick<OpenedEngine, "projectionKeys" | "clock">;

/**
 * The policies that the settings ask for, as one; undefined without any. Throws {@link ConfigurationError} for a path that is none.
 */
export function openPolicy(settings: Settings, engine: PolicyEngine): Policy | undefined {
  const policies = [...policiesOf(settings, engine)];
  return policies.length === 0 ? undefined : allOf(...policies);
}

function* policiesOf(settings: Settings, { projectionKeys, clock }: PolicyEngine): Generator<Policy> {
  const stopOnlyUsers = settings["admin.policy.stop-only"];
  const windows = settings["admin.policy.freeze.windows"];
  const operations = settings["admin.policy.two-person.operations"];
  if (settings["admin.policy.read-only"]) yield readOnly();
  if (stopOnlyUsers === true) yield stopOnly();
  else if (stopOnlyUsers && stopOnlyUsers.length > 0) yield stopOnly(stopOnlyUsers);
  const timeZone = settings["admin.policy.freeze.time-zone"];
  if (windows.length > 0) yield freeze({ windows, timeZone, ...(clock && { engineClock: clock }) });
  for (const [user, paths] of Object.entries(settings["admin.policy.paths.*"] ?? {})) {
    yield pathPolicy(user, paths, projectionKeys);
  }
  // It remembers who asked, so it is asked last.
  if (operations) yield twoPerson({ operations, withinMs: settings["admin.policy.two-person.within"] });
}

function pathPolicy(user: string, paths: string[], projectionKeys: readonly string[]): Policy {
  try {
    return onlyPaths({ [user]: paths }, projectionKeys);
  } catch (cause) {
    throw new ConfigurationError(`admin.policy.paths.${user}: ${messageOf(cause)}`, { cause });
  }
}

/** Logs what an operator should not have to find out from a refusal. `users` are those who may log in, where that is known. */
export function logPolicy(settings: Settings, users: readonly KnownUser[], log: Logger): void {
  if (settings["admin.policy.read-only"]) log.warn("admin.policy.read-only: every command is refused, stops too");
  if (settings["admin.policy.stop-only"] === true)
    log.warn("admin.policy.stop-only: every command but stops is refused");
  if (users.length === 0) return;
  const known = new Set(users.map(({ name }) => nameKey(name)));
  for (const name of namedUsers(settings)) {
    if (!known.has(nameKey(name))) log.warn(`admin.policy names the user ${JSON.stringify(name)}, who cannot log in`);
  }
}

function namedUsers(settings: Settings): string[] {
  const stopOnlyUsers = settings["admin.policy.stop-only"];
  return [
    ...(Array.isArray(stopOnlyUsers) ? stopOnlyUsers : []),
    ...Object.keys(settings["admin.policy.paths.*"] ?? {}),
  ];
}

import type { KnownUser } from "../auth/names.ts";
import { nameKey } from "../auth/names.ts";
import { ConfigurationError } from "../config/configuration-error.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger } from "../core/logger.ts";
import type { Policy } from "../core/policy/policy.ts";
import { messageOf } from "../core/values/basics.ts";
import { allOf, freeze, onlyPaths, readOnly, stopOnly, twoPerson } from "../policy/index.ts";

/**
 * The policies that the settings ask for, as one; undefined without any. Throws {@link ConfigurationError} for a path that is none.
 */
export function openPolicy(settings: Settings, projectionKeys: readonly string[]): Policy | undefined {
  const policies = [
    ...(settings["admin.policy.read-only"] ? [readOnly()] : []),
    ...stopOnlyPolicies(settings["admin.policy.stop-only"]),
    ...freezePolicies(settings),
    ...pathPolicies(settings["admin.policy.paths.*"], projectionKeys),
    // It remembers who asked, so it is asked last.
    ...twoPersonPolicies(settings),
  ];
  return policies.length === 0 ? undefined : allOf(...policies);
}

function stopOnlyPolicies(users: Settings["admin.policy.stop-only"]): Policy[] {
  if (Array.isArray(users)) return users.length > 0 ? [stopOnly(users)] : [];
  return users ? [stopOnly()] : [];
}

function freezePolicies(settings: Settings): Policy[] {
  const windows = settings["admin.policy.freeze.windows"];
  return windows.length > 0 ? [freeze({ windows, timeZone: settings["admin.policy.freeze.time-zone"] })] : [];
}

function pathPolicies(paths: Settings["admin.policy.paths.*"], projectionKeys: readonly string[]): Policy[] {
  return Object.entries(paths ?? {}).map(([user, own]) => {
    try {
      return onlyPaths({ [user]: own }, projectionKeys);
    } catch (cause) {
      const reason = messageOf(cause);
      throw new ConfigurationError(`admin.policy.paths.${user}: ${reason}`, { cause });
    }
  });
}

function twoPersonPolicies(settings: Settings): Policy[] {
  const operations = settings["admin.policy.two-person.operations"];
  return operations ? [twoPerson({ operations, withinMs: settings["admin.policy.two-person.within"] })] : [];
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

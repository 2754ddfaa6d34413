import { type KnownUser, nameKey } from "../auth/names.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger } from "../core/logger.ts";
import { plainLinkWarnings } from "./engine/engine-settings.ts";
import { sharedOriginWarning } from "./proxy/monitor.ts";

/** Warnings about valid settings, for the log and `check-config`. */
export function startWarnings(settings: Settings): string[] {
  const single = [remarkOnApprovals(settings), sharedOriginWarning(settings)];
  return [...single.filter((warning) => warning !== undefined), ...plainLinkWarnings(settings)];
}

/** Warning about `two-person` for several gateways; undefined where it does not apply. */
function remarkOnApprovals(settings: Settings): string | undefined {
  if (!settings["admin.policy.two-person.operations"] || settings["admin.policy.two-person.store"] === "nats")
    return undefined;
  return (
    "admin.policy.two-person: changes wait for the second person in this gateway's memory, so both people must use the same gateway; " +
    "with several gateways set admin.policy.two-person.store: nats"
  );
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

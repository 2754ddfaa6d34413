import { nameKey } from "../auth/names.ts";
import type { Policy } from "../core/policy/policy.ts";

/**
 * Asks several policies, one after the other; the first reason counts and the others are not asked. A policy that remembers, such
 * as {@link twoPerson}, belongs at the end.
 *
 * @example
 * new AdminApi({ transport, audit, authorize: allOf(stopOnly(["night-monitor"]), twoPerson({ operations: ["resumeTrading"] })) });
 */
export function allOf(...policies: readonly Policy[]): Policy {
  return async (request) => {
    for (const policy of policies) {
      const reason = await policy(request);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

/** Refuses every command, stops too: for an installation that is only looked at, while another one is in control. */
export function readOnly(): Policy {
  return ({ operation }) => `${operation} is refused: this installation is read-only, stops included`;
}

/**
 * Lets stops pass and nothing else: for everybody, or for the users that are named, such as a monitor that may halt and never
 * resume. Case and accents of a name do not count.
 */
export function stopOnly(users?: Iterable<string>): Policy {
  const named = users && new Set([...users].map(nameKey));
  return ({ lane, operation, principal: { name } }) => {
    if (lane === "stop" || (named && !named.has(nameKey(name)))) return undefined;
    const rule = named ? `user ${JSON.stringify(name)} may only stop` : "only stops pass";
    return `${operation} is refused: ${rule} (halt, disable, disconnect)`;
  };
}

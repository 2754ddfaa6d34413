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

import { nameKey } from "../auth/names.ts";
import type { Policy } from "../core/policy/policy.ts";

/**
 * Asks several policies in turn; the first refusal counts and the rest are not asked. Put stateful policies, such as
 * {@link twoPerson}, last.
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

/** Refuses every command, including stops: for an installation that only observes while another is in control. */
export function readOnly(): Policy {
  return ({ operation }) => `${operation} is refused: this installation is read-only, stops included`;
}

/**
 * Allows stops only: for all users, or for those named, such as a monitor that may halt but never resume. Names are compared
 * without case, as those of logins.
 */
export function stopOnly(users?: Iterable<string>): Policy {
  const named = users && new Set([...users].map(nameKey));
  return ({ lane, operation, principal: { name } }) => {
    if (lane === "stop" || (named && !named.has(nameKey(name)))) return undefined;
    const rule = named ? `user ${JSON.stringify(name)} may only stop` : "only stops pass";
    return `${operation} is refused: ${rule} (halt, disable, disconnect)`;
  };
}

import { nameKey } from "../auth/names.ts";
import type { Policy } from "../core/policy/policy.ts";

/**
 * Allows stops and nothing else: for all users, or for those that are named, such as a monitor that may halt and never
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

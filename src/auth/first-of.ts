import { objectWith, requireArgument } from "../core/options.ts";
import { isThenable } from "../core/values/basics.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";

const LIKE = 'tokens.authenticator, basicAuthenticator({ realm: "monitor", verify })';

/**
 * Accepts what any of the authenticators accepts, asked in this order, for example tokens and HTTP Basic. Where none does, the
 * challenges of all are sent, and credentials that one of them knew and refused count as a failed login. While one of them cannot
 * decide, as its identity provider is unreachable, the others still accept.
 *
 * @example
 * firstOf(tokens.authenticator, basicAuthenticator({ realm: "monitor", verify }));
 */
export function firstOf(...authenticators: readonly Authenticator[]): Authenticator {
  if (authenticators.length === 0) throw new TypeError("firstOf needs at least one authenticator");
  for (const authenticator of authenticators)
    requireArgument("firstOf", "authenticators", authenticator, objectWith("authenticate", LIKE));
  return {
    authenticate(authorization, caller) {
      function from(index: number, refusals: readonly Refusal[]): Authentication | Promise<Authentication> {
        const authenticator = authenticators[index];
        if (!authenticator) return joined(refusals);
        const next = (found: Found): Authentication | Promise<Authentication> =>
          found.kind === "principal" ? found : from(index + 1, [...refusals, found]);
        const found = attempt(() => authenticator.authenticate(authorization, caller));
        return isThenable(found) ? found.then(next) : next(found);
      }
      return from(0, []);
    },
  };
}

/** Result of one authenticator; `undecided` where it failed. */
type Found = Authentication | { readonly kind: "undecided"; readonly error: unknown };
type Refusal = Exclude<Found, { readonly kind: "principal" }>;

/** Synchronous as long as the authenticator is. */
function attempt(authenticate: () => ReturnType<Authenticator["authenticate"]>): Found | Promise<Found> {
  const failed = (error: unknown): Found => ({ kind: "undecided", error });
  try {
    const found = authenticate();
    return isThenable(found) ? found.catch(failed) : found;
  } catch (error) {
    return failed(error);
  }
}

function joined(refusals: readonly Refusal[]): Authentication {
  const undecided = refusals.find((refusal) => refusal.kind === "undecided");
  if (undecided) throw undecided.error;
  const throttled = refusals.find((refusal) => refusal.kind === "throttled");
  if (throttled) return throttled;
  const challenges = refusals.filter((refusal) => refusal.kind === "challenge");
  const closed = refusals.find((refusal) => refusal.kind === "closed");
  if (challenges.length === 0 && closed) return closed;
  const challenge = [...new Set(challenges.map((refusal) => refusal.challenge))].join(", ");
  const presented = challenges.find((refusal) => refusal.presented)?.presented;
  return { kind: "challenge", challenge, ...(presented && { presented }) };
}

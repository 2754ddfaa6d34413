import { nameKey } from "../auth/names.ts";
import type { ApprovalRequest, SentChange, StoredApprovalRequest } from "./approvals.ts";

export function isSameUser(one: Pick<ApprovalRequest, "user">, other: Pick<ApprovalRequest, "user">): boolean {
  return nameKey(one.user) === nameKey(other.user);
}

/**
 * The latest request that somebody else has sent and the user does not know of: a user whose own entry is later was told, or took part.
 * Requests that users took themselves were void.
 */
export function latestSent(
  known: readonly StoredApprovalRequest[],
  user: ApprovalRequest,
  own: StoredApprovalRequest | undefined,
): SentChange | undefined {
  const sent = known.flatMap(({ request, revision, taker }) => {
    if (request.told) return request.told;
    return taker && !isSameUser(taker, request) ? { user: request.user, revision, taker } : [];
  });
  return sent
    .filter(({ taker, revision }) => !isSameUser(taker, user) && (own?.revision ?? 0) <= revision)
    .toSorted((one, other) => one.revision - other.revision)
    .at(-1);
}

/** The latest of some requests; undefined where that is the user's own, who was told of those before it. */
export function latestOfOthers(
  requests: readonly (StoredApprovalRequest | undefined)[],
  user: ApprovalRequest,
): StoredApprovalRequest | undefined {
  const latest = requests
    .filter((kept) => kept !== undefined)
    .toSorted((one, other) => one.revision - other.revision)
    .at(-1);
  return latest && !isSameUser(latest.request, user) ? latest : undefined;
}

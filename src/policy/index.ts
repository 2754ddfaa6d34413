/**
 * Ready-made policies for `new AdminApi({ authorize })`.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { ChangeName } from "../core/operations/table.ts";
export type { Policy, PolicyRequest } from "../core/policy/policy.ts";
export { MAX_REQUESTS_PER_USER } from "../core/records/waiting.ts";
export type {
  ApprovalRequest,
  ApprovalStore,
  Approver,
  SentChange,
  StoredApprovalRequest,
} from "./approvals.ts";
export type { TwoPersonOptions } from "./decision.ts";
export { type FreezeOptions, freeze } from "./freeze-window.ts";
export { allOf, onlyPaths, type PathsOfUsers, readOnly, stopOnly } from "./ready-made.ts";
export { twoPerson } from "./two-person.ts";

/**
 * The core: what a host needs to embed the API. What transports, adapters and authenticators are written against is in
 * `trading-admin-api/extend`.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export { AdminApi } from "./core/admin-api.ts";
export type { AdminApiOptions } from "./core/admin-api-options.ts";
export type { CallContext, CallReport, Calls, RequestArrival } from "./core/calls/call.ts";
export type { CallDocs } from "./core/calls/call-docs.ts";
export { type Clock, systemClock } from "./core/clock.ts";
export { DEFAULT_CAPACITIES, type LaneCapacities, type LaneLoad } from "./core/engine/engine-link.ts";
export type { LinkState } from "./core/engine/transport.ts";
export { ADMIN_ERRORS, AdminError, type AdminErrorCode, type ErrorBody, type Outcome } from "./core/errors.ts";
export type { AdminEvents, FailedLogin } from "./core/events.ts";
export type { Logger } from "./core/logger.ts";
export type { ExtensionName, Extensions } from "./core/operations/extensions.ts";
export type {
  Confirmation,
  Direction,
  FieldCondition,
  Lane,
  MaxEntries,
  Operation,
  OperationExample,
  Prepared,
  RetryClass,
  StateBefore,
  Tag,
} from "./core/operations/operation.ts";
export {
  buildOperations,
  type CallName,
  type EngineInput,
  type Input,
  type OperationName,
  type Operations,
  type Output,
  operationNames,
  operations,
} from "./core/operations/table.ts";
export type { Policy, PolicyContext, PolicyRequest } from "./core/policy/policy.ts";
export {
  AUTHENTICATION_METHODS,
  type AuthenticationMethod,
  PERMISSIONS,
  type Permission,
  type Principal,
  principal,
} from "./core/principal.ts";
export type { LastCommand } from "./core/records/last-commands.ts";
export type {
  ApprovedRequest,
  AuditRecord,
  AuditSink,
  AuditStage,
  LoginStage,
  NoticedStage,
  TruncatedValue,
} from "./core/records/record.ts";
export type { AbandonedTrail, Neighbours } from "./core/stops/cut-off-watch.ts";
export type { StopsView } from "./core/stops/known-stops.ts";
export type { ActiveStop, LostStop } from "./core/stops/words.ts";
export type { UnknownFields } from "./core/validation/input-size.ts";
export {
  type PathSegment,
  type ProjectionKeys,
  ProjectionSyntaxError,
  parseProjection,
  parseProjectionPath,
  printProjection,
  printProjectionPath,
  projectionKeys,
  STANDARD_PROJECTION_KEYS,
} from "./core/values/projection.ts";

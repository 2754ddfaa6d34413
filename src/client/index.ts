/**
 * The typed client of the API, for browsers and Node.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */

export type { MutationOutcome } from "../core/errors.ts";
export type { ApprovedRequest } from "../core/records/record.ts";
export { type AdminClient, type AdminWarning, type CallOptions, type ClientOptions, createClient } from "./client.ts";
export { clientCredentials } from "./client-credentials.ts";
export {
  type ConfirmAppliedOptions,
  type ConfirmHaltedOptions,
  confirmApplied,
  confirmHalted,
  confirmResumed,
  confirmServiceDisabled,
  confirmServiceEnabled,
  confirmSessionDisabled,
  confirmSessionDisconnected,
  confirmSessionEnabled,
} from "./confirm.ts";
export { type ConfirmOptions, NotConfirmedError } from "./confirmation.ts";
export { basic, bearer, type Credentials, type TokenSource } from "./credentials.ts";
export {
  AdminClientError,
  AppliedError,
  DeniedError,
  type FailureDetails,
  NotAppliedError,
  OutcomeUnknownError,
  ReadFailedError,
} from "./errors.ts";
export type { Fetch, FetchResponse } from "./exchange.ts";
export type { ReadRetries } from "./read-retry.ts";
export type { ConfirmedOperation, ConfirmedState } from "./shown.ts";
export { type ClientCredentialsOptions, TokenRequestError } from "./token-request.ts";

// The public surface of the typed client.
export { type AdminClient, type AdminWarning, type CallOptions, type ClientOptions, createClient } from "./client.ts";
export { clientCredentials } from "./client-credentials.ts";
export {
  type ConfirmAppliedOptions,
  type ConfirmedOperation,
  type ConfirmedState,
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
  DeniedError,
  NotAppliedError,
  OutcomeUnknownError,
  ReadFailedError,
} from "./errors.ts";
export type { Fetch, FetchResponse } from "./exchange.ts";
export type { ReadRetries } from "./read-retry.ts";
export { type ClientCredentialsOptions, TokenRequestError } from "./token-request.ts";

import { NO_SUCH_PATH } from "../core/conventions.ts";
import type { AdminErrorCode } from "../core/errors.ts";
import { DEFAULT_MAX_BODY_BYTES } from "../core/load/held-bytes.ts";

/** A message of each error, as the server words it. */
export const ERROR_EXAMPLES: Readonly<Record<AdminErrorCode, string>> = {
  BAD_REQUEST: 'projectionPath: unknown projection key "Acount"; cancelOrder: unknown field',
  REJECTED:
    'commands[0] (UPDATE Account[*]/Symbol[*]): risk table "Account/Symbol" has no limit "MaxOrderNotional"; it has MaxOrderSize, MaxPositionLong, MaxPositionShort',
  NOT_SUPPORTED: "The engine does not support disconnectFixSession",
  UNAUTHENTICATED: "Credentials are missing or wrong",
  PERMISSION_DENIED: 'User "alice" lacks the permission HALT_RESUME_TRADING',
  POLICY_DENIED:
    'resumeTrading system-wide needs a second person: asked for by "alice"; to send it, another user has to send the same command by 2026-01-05T09:35:00.000Z',
  CROSS_SITE: "A page of another site may not send commands with a user's credentials",
  API_CLOSED:
    "The API is closed: security.oauth2.authenticationType is NONE, and the API refuses to run without authentication",
  NOT_FOUND: 'Unknown service "TWAP2"',
  UNKNOWN_PATH: NO_SUCH_PATH,
  METHOD_NOT_ALLOWED: "This path allows GET, HEAD, OPTIONS",
  REQUEST_TIMEOUT: "The request did not arrive completely in time",
  PRECONDITION_FAILED:
    "The state is not the one that If-Match names: getRiskTable shows another one now; nothing was sent",
  BODY_TOO_LARGE: `The request body is larger than ${DEFAULT_MAX_BODY_BYTES} bytes`,
  TOO_LARGE_FOR_BUS: "The request has 130523 bytes, and the NATS server takes 65536 at most; nothing was sent",
  TARGET_TOO_LONG: "The path with its query is longer than 8192 characters",
  UNSUPPORTED_MEDIA_TYPE: "Content-Type must be application/json in UTF-8; it is missing",
  TOO_MANY_LOGINS:
    "Too many logins from this address fail or wait; these credentials were not checked. Try again in a few seconds",
  ENGINE_OVERLOADED: "The engine message bus is overloaded; nothing was sent",
  STOP_CAME_FIRST:
    "A stop (haltTrading of everything) was asked for after this change and before it could be sent; nothing was sent",
  HEADERS_TOO_LARGE: "The request line and headers are too large",
  INTERNAL: "Unexpected failure; details are in the monitor log",
  IDENTITY_PROVIDER_UNAVAILABLE:
    "The token cannot be checked, as the identity provider does not respond; it may be valid",
  AUDIT_UNAVAILABLE: "The change cannot be recorded in the audit log; nothing was sent",
  POLICY_FAILED: "The policy failed, the change was not sent; details are in the monitor log",
  OUTCOME_NOT_RECORDED: "The engine accepted the change, but this could not be recorded",
  ENGINE_FAILED: "The engine failed to handle the request; details are in the monitor log",
  ENGINE_UNAVAILABLE: "The engine message bus is not available",
  ENGINE_TIMEOUT: "The engine did not respond within 10 seconds",
};

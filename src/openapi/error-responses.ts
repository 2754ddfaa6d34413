import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { NO_SUCH_PATH } from "../core/conventions.ts";
import { ADMIN_ERRORS, AdminError, type AdminErrorCode, type ErrorBody } from "../core/errors.ts";
import { DEFAULT_MAX_BODY_BYTES } from "../core/load/held-bytes.ts";
import type { Operation } from "../core/operations/operation.ts";
import { lackWords } from "../core/principal.ts";
import { projectionKeys, unknownProjectionKey } from "../core/values/projection.ts";
import { headersOf } from "./headers.ts";
import type { ExampleObject, JsonSchema, ResponseObject } from "./open-api.ts";

/** Body of every error response but 401 (specification, "Errors"). */
export const errorBody = z
  .object({
    status: z.int().meta({ description: "The HTTP status.", format: "int32" }),
    error: z.string().meta({ description: "The status phrase, for example `Bad Request`." }),
    message: z.string().meta({ description: "The cause, for people. The engine's own reason where it refused." }),
  })
  .meta({ id: "ErrorBody", description: "Body of every error response but 401." }) satisfies z.ZodType<ErrorBody>;

/** One error response: its codes have one status. */
interface ErrorResponse {
  readonly codes: readonly [AdminErrorCode, ...AdminErrorCode[]];
  of(operation: Operation): boolean;
}

const every = (): boolean => true;
const takesBody = (operation: Operation): boolean => operation.method === "POST";
const isChange = (operation: Operation): boolean => operation.lane === "change";
const needsPermission = (operation: Operation): boolean => operation.permission !== null;
const asksEngine = (operation: Operation): boolean => !operation.answeredHere;
const hasCondition = (operation: Operation): boolean => operation.method === "GET" || operation.ifMatch !== undefined;
const mayBeMissing = ({ path, isOptional }: Operation): boolean => isOptional === true || path.includes("{");

/**
 * Every error response that operations share, by the name of its component. `METHOD_NOT_ALLOWED` is not among them: a
 * method that is not allowed is not an operation.
 */
export const ERROR_RESPONSES = {
  BadRequest: { codes: ["BAD_REQUEST", "REJECTED", "NOT_SUPPORTED"], of: every },
  Unauthorized: { codes: ["UNAUTHENTICATED"], of: every },
  Forbidden: { codes: ["PERMISSION_DENIED", "POLICY_DENIED", "CROSS_SITE", "API_CLOSED"], of: needsPermission },
  Closed: { codes: ["API_CLOSED"], of: (operation) => !needsPermission(operation) },
  NotFound: { codes: ["NOT_FOUND", "UNKNOWN_PATH"], of: mayBeMissing },
  RequestTimeout: { codes: ["REQUEST_TIMEOUT"], of: every },
  PreconditionFailed: { codes: ["PRECONDITION_FAILED"], of: hasCondition },
  BodyTooLarge: { codes: ["BODY_TOO_LARGE", "TOO_LARGE_FOR_BUS"], of: takesBody },
  UnsupportedMediaType: { codes: ["UNSUPPORTED_MEDIA_TYPE"], of: takesBody },
  Overloaded: { codes: ["ENGINE_OVERLOADED", "TOO_MANY_LOGINS"], of: (operation) => !isChange(operation) },
  ChangeOverloaded: { codes: ["ENGINE_OVERLOADED", "TOO_MANY_LOGINS", "STOP_CAME_FIRST"], of: isChange },
  TargetTooLong: { codes: ["TARGET_TOO_LONG"], of: every },
  HeadersTooLarge: { codes: ["HEADERS_TOO_LARGE"], of: every },
  Failure: {
    codes: ["INTERNAL", "IDENTITY_PROVIDER_UNAVAILABLE", "ENGINE_FAILED"],
    of: (operation) => !isChange(operation),
  },
  ChangeFailure: {
    codes: [
      "INTERNAL",
      "IDENTITY_PROVIDER_UNAVAILABLE",
      "ENGINE_FAILED",
      "AUDIT_UNAVAILABLE",
      "POLICY_FAILED",
      "OUTCOME_NOT_RECORDED",
    ],
    of: isChange,
  },
  Unavailable: { codes: ["ENGINE_UNAVAILABLE"], of: asksEngine },
  Timeout: { codes: ["ENGINE_TIMEOUT"], of: asksEngine },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

export type ErrorResponseName = keyof typeof ERROR_RESPONSES;

const responses = Object.entries(ERROR_RESPONSES) as [ErrorResponseName, ErrorResponse][];

/** Status and name of each error response that an operation can give, in the order of the statuses. */
export function errorResponsesOf(operation: Operation): [status: number, name: ErrorResponseName][] {
  return responses
    .filter(([, response]) => response.of(operation))
    .map(([name, response]): [number, ErrorResponseName] => [statusOf(response), name])
    .toSorted(([a], [b]) => a - b);
}

/** All error responses as components; `schema` is that of their body. */
export function errorComponents(schema: JsonSchema): Record<ErrorResponseName, ResponseObject> {
  const components = responses.map(([name, response]) => [name, errorResponse(response, schema)]);
  return Object.fromEntries(components) as Record<ErrorResponseName, ResponseObject>;
}

function statusOf({ codes }: ErrorResponse): number {
  return ADMIN_ERRORS[codes[0]].status;
}

function errorResponse(response: ErrorResponse, schema: JsonSchema): ResponseObject {
  const status = statusOf(response);
  const causes = response.codes.map((code) => `${ADMIN_ERRORS[code].meaning} ${ADMIN_ERRORS[code].remedy}`);
  const description = `${STATUS_CODES[status]}. ${causes.length > 1 ? causes.map((cause) => `\n- ${cause}`).join("") : causes[0]}`;
  const head = { description, headers: headersOf(status) };
  // 401 is produced by the security layer and has no body (specification, "Errors").
  if (status === 401) return head;
  const examples = Object.fromEntries(response.codes.map((code) => [code, errorExample(code)]));
  return { ...head, content: { "application/json": { schema, examples } } };
}

function errorExample(code: AdminErrorCode): ExampleObject {
  const { meaning, remedy } = ADMIN_ERRORS[code];
  return { summary: meaning, description: remedy, value: new AdminError(code, ERROR_EXAMPLES[code]).toJSON() };
}

/** A message of each error, as the server words it. */
export const ERROR_EXAMPLES: Readonly<Record<AdminErrorCode, string>> = {
  BAD_REQUEST: `projectionPath: ${unknownProjectionKey("Acount", projectionKeys())}; cancelOrder: unknown field`,
  REJECTED:
    'commands[0] (UPDATE Account[*]/Symbol[*]): risk table "Account/Symbol" has no limit "MaxOrderNotional"; it has MaxOrderSize, MaxPositionLong, MaxPositionShort',
  NOT_SUPPORTED: "The engine does not support disconnectFixSession",
  UNAUTHENTICATED: "Credentials are missing or wrong",
  PERMISSION_DENIED: lackWords("alice", "HALT_RESUME_TRADING"),
  POLICY_DENIED:
    'resumeTrading system-wide needs a second person: requested by "alice"; another user must send the same command by 2026-01-05T09:35:00.000Z',
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
    "Too many logins from this address fail or wait, so these credentials were not accepted; they may be right. Try again in a few seconds",
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

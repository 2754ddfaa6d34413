/**
 * What happened to a mutation, as far as this side knows.
 * `denied`, `invalid` and `not-sent` mean that the engine never saw it.
 */
export type Outcome = "applied" | "rejected" | "denied" | "invalid" | "not-sent" | "unknown";

/** Outcome as callers see it: anything neither applied nor unknown was refused on its way, or by the engine. */
export type MutationOutcome = "applied" | "not-applied" | "unknown";

export function mutationOutcome(outcome: Outcome): MutationOutcome {
  return outcome === "applied" || outcome === "unknown" ? outcome : "not-applied";
}

interface ErrorDefinition {
  /** HTTP status (specification, "Errors"). */
  readonly status: number;
  /** Outcome of a command that failed with this error. */
  readonly outcome: Outcome;
  readonly meaning: string;
  readonly remedy: string;
}

/** Every error of the API. `docs/reference/errors.md` is generated from this table. */
export const ADMIN_ERRORS = {
  BAD_REQUEST: {
    status: 400,
    outcome: "invalid",
    meaning: "The request is malformed or a field is missing, unknown or invalid; the message names each one.",
    remedy: "Correct the named fields and send the request again.",
  },
  REJECTED: {
    status: 400,
    outcome: "rejected",
    meaning: "The engine rejected the request; the message is the engine's own reason.",
    remedy: "Act on the reason; nothing was changed.",
  },
  NOT_SUPPORTED: {
    status: 400,
    outcome: "rejected",
    meaning: "The engine has no such operation; the message names it. Nothing was changed.",
    remedy: "Do it at the engine, or use an engine that has the operation.",
  },
  UNAUTHENTICATED: {
    status: 401,
    outcome: "denied",
    meaning: "Credentials are missing, expired or invalid. The response has no body.",
    remedy: "Send the credentials that `WWW-Authenticate` asks for.",
  },
  PERMISSION_DENIED: {
    status: 403,
    outcome: "denied",
    meaning: "The user lacks the permission that the message names.",
    remedy: "Have the permission granted, or ask a user who has it.",
  },
  POLICY_DENIED: {
    status: 403,
    outcome: "denied",
    meaning: "The user has the permission, but a policy of the installation refuses the command; the message says why.",
    remedy: "Act on the reason, for example have a second person send the same command.",
  },
  CROSS_SITE: {
    status: 403,
    outcome: "denied",
    meaning:
      "A browser sent a command for a page that is not the gateway's own, with credentials that it stores for this site. Nothing was sent.",
    remedy:
      "Send commands from the console or the interactive page, or with a bearer token. A proxy in front has to forward `Host` unchanged.",
  },
  API_CLOSED: {
    status: 403,
    outcome: "denied",
    meaning: "The API refuses to run without authentication; the message says which setting closes it.",
    remedy: "Configure an authentication mechanism and restart.",
  },
  NOT_FOUND: {
    status: 404,
    outcome: "rejected",
    meaning: "The engine knows no such service, FIX gateway or FIX session, or does not describe itself.",
    remedy: "List the resources and use a name from the list; encode `/` in a name as `%2F`.",
  },
  UNKNOWN_PATH: {
    status: 404,
    outcome: "denied",
    meaning: "No operation has this path. Paths are case-sensitive and have no trailing slash.",
    remedy: "Check the path; a `/` inside a name has to be sent as `%2F`.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    outcome: "denied",
    meaning: "The path exists, but not with this method.",
    remedy: "Use a method that the `Allow` header lists.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    outcome: "denied",
    meaning:
      "The request did not arrive completely, or a change was not checked completely, in time. Nothing was sent.",
    remedy: "Check the connection and send the request again.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    outcome: "not-sent",
    meaning:
      "`If-Match` does not match the current state, which has changed since it was read. The change was not sent to the engine.",
    remedy: "Read the state again, and decide again whether the change is still right.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    outcome: "invalid",
    meaning: "The request body is larger than the limit.",
    remedy: "Split the request, or raise `admin.api.max-body-size`.",
  },
  TOO_LARGE_FOR_BUS: {
    status: 413,
    outcome: "not-sent",
    meaning:
      "The request is larger than the message bus takes, so it was not sent, and never can be; the message has both sizes.",
    remedy: "Split the request, or raise `max_payload` of the NATS server.",
  },
  TARGET_TOO_LONG: {
    status: 414,
    outcome: "denied",
    meaning: "The path with its query is longer than the server accepts.",
    remedy: "Send a shorter query.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    outcome: "invalid",
    meaning: "The request body is not declared as uncompressed UTF-8 `application/json`.",
    remedy: "Send `Content-Type: application/json` and no `Content-Encoding`.",
  },
  ENGINE_OVERLOADED: {
    status: 429,
    outcome: "not-sent",
    meaning:
      "The engine message bus, the capacity reserved for this kind of operation, or the gateway's queue is full. Nothing was sent.",
    remedy: "Try again after the seconds in `Retry-After`.",
  },
  STOP_CAME_FIRST: {
    status: 429,
    outcome: "not-sent",
    meaning:
      "A stop of the same target, or of one that contains it, arrived after this change, at this gateway or another, and took precedence. " +
      "Changes never overtake stops, so nothing was changed.",
    remedy: "Read the state and find out who stopped it and why, before you send the change again.",
  },
  TOO_MANY_LOGINS: {
    status: 429,
    outcome: "denied",
    meaning:
      "Too many logins from this address fail or wait, so the credentials were not accepted; they may be right. Credentials that " +
      "were right before, and other addresses, are not affected.",
    remedy: "Stop what sends wrong credentials, or use another address; try again after the seconds in `Retry-After`.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    outcome: "denied",
    meaning: "The request line and headers are larger than the server accepts, or more than 1,000 fields.",
    remedy: "Send shorter headers or a shorter query.",
  },
  INTERNAL: {
    status: 500,
    outcome: "not-sent",
    meaning: "Unexpected failure before anything was sent to the engine; details are in the monitor log.",
    remedy: "Look up the request id in the monitor log.",
  },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 500,
    outcome: "not-sent",
    meaning:
      "The identity provider does not respond, so the token can be neither accepted nor refused: its key is not known. Nothing was sent.",
    remedy:
      "Restore the connection to the identity provider, or use a token of a key that is known; the monitor log has the reason.",
  },
  AUDIT_UNAVAILABLE: {
    status: 500,
    outcome: "not-sent",
    meaning:
      "The change could not be recorded, so it was not sent. Stopping operations are never refused for this reason.",
    remedy: "Restore the audit log, then send the request again.",
  },
  POLICY_FAILED: {
    status: 500,
    outcome: "not-sent",
    meaning:
      "The policy of the installation failed or did not decide in time, so the change was not sent. Stopping operations continue without it.",
    remedy: "Look up the request id in the monitor log and correct the policy.",
  },
  OUTCOME_NOT_RECORDED: {
    status: 500,
    outcome: "applied",
    meaning: "The engine accepted the change, but its outcome could not be recorded.",
    remedy: "Do not repeat the change; restore the audit log and re-read the state.",
  },
  ENGINE_FAILED: {
    status: 500,
    outcome: "unknown",
    meaning: "The engine failed while it handled the request, or its reply was not understood.",
    remedy: "A mutation may have been applied: re-read the state before any retry.",
  },
  ENGINE_UNAVAILABLE: {
    status: 503,
    outcome: "not-sent",
    meaning: "The engine message bus is not available. A mutation was not sent.",
    remedy: "Try again after the seconds in `Retry-After`.",
  },
  ENGINE_TIMEOUT: {
    status: 504,
    outcome: "unknown",
    meaning: "The engine did not respond in time, or the link was lost while a mutation was in progress.",
    remedy: "A mutation may have been applied: re-read the state before any retry.",
  },
} as const satisfies Record<string, ErrorDefinition>;

/** Code by which an {@link AdminError} is recognised. */
export type AdminErrorCode = keyof typeof ADMIN_ERRORS;

/** Errors for what a server did not read to the end, so that it never became a request of the API. */
export const UNREAD_CODES = ["REQUEST_TIMEOUT", "TARGET_TOO_LONG", "HEADERS_TOO_LARGE"] as const;

/** Body of every error response but 401 (specification, "Errors"). */
export interface ErrorBody {
  /** HTTP status of the response. */
  readonly status: number;
  /** The status phrase, for example `Bad Request`. */
  readonly error: string;
  /** What was wrong and where, for the caller. */
  readonly message: string;
}

/**
 * The one error of the API; distinguish cases by `code`.
 * `message` is for the caller; what only the log may see is in `cause`.
 */
export class AdminError extends Error {
  /**
   * What went wrong, such as `ENGINE_UNAVAILABLE`; {@link ADMIN_ERRORS} has status, outcome, meaning and remedy of each.
   */
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AdminError";
    this.code = code;
  }

  get status(): number {
    return ADMIN_ERRORS[this.code].status;
  }

  get outcome(): Outcome {
    return ADMIN_ERRORS[this.code].outcome;
  }

  toJSON(): ErrorBody {
    return { status: this.status, error: phraseOf(this.status), message: this.message };
  }

  /** Returns an {@link AdminError} as it is; anything else becomes `INTERNAL` and keeps the thrown value as `cause`. */
  static from(thrown: unknown): AdminError {
    if (thrown instanceof AdminError) return thrown;
    return new AdminError("INTERNAL", "Unexpected failure; details are in the monitor log", { cause: thrown });
  }
}

/** The error for a message that is not a reply of its operation; `cause` says why. */
export function replyNotUnderstood(cause: unknown): AdminError {
  const message = "The engine's reply was not understood; details are in the monitor log";
  return new AdminError("ENGINE_FAILED", message, { cause });
}

/** The module is loaded for the first error, since not every host of the API has it already. */
function phraseOf(status: number): string {
  return process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "Error";
}

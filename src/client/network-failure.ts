/**
 * Codes of Node that say that there was never a connection, so nothing was sent on it. Browsers say nothing. Alerts of TLS are
 * not among them: some can come after a request, when a server asks for a certificate late.
 */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  // The first response is not TLS, as on a port for plain HTTP.
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Calls of the system that come before a connection, whatever they fail with. */
const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);

/** Errors of Node that have no code, or one that says less. */
const UNSENT_MESSAGES: ReadonlySet<unknown> = new Set([
  // A port that `fetch` never connects to (Fetch standard, "port blocking").
  "bad port",
  "Client network socket disconnected before secure TLS connection was established",
]);

/** Whether what `fetch` threw proves that the request was not sent. */
export function isCertainlyUnsent(thrown: unknown): boolean {
  return saysUnsent(thrown) || (thrown instanceof Error && saysUnsent(thrown.cause));
}

function saysUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // One for each address of a host.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(saysUnsent);
  const syscall = "syscall" in error ? error.syscall : undefined;
  return NEVER_CONNECTED.has(codeOf(error)) || BEFORE_CONNECTION.has(syscall) || UNSENT_MESSAGES.has(error.message);
}

/** Reason of a failed `fetch`, in one line: Node says only "fetch failed" and keeps the reason as cause, at times without words. */
export function failureReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause, message } = thrown;
  const reason = cause instanceof Error ? `: ${cause.message || String(codeOf(cause) ?? cause.name)}` : "";
  return `${message || thrown.name}${reason}`.replace(/\s+/g, " ").trim();
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

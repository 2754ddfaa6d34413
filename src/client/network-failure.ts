/** Codes of Node that say that there was never a connection, so nothing was sent on it. Browsers tell nothing. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Whether what `fetch` threw proves that the request was not sent. */
export function isCertainlyUnsent(thrown: unknown): boolean {
  return NEVER_CONNECTED.has(codeOf(thrown)) || (thrown instanceof Error && NEVER_CONNECTED.has(codeOf(thrown.cause)));
}

/** What was thrown, in one line: Node's `fetch` says only "fetch failed" and keeps the reason as cause, at times without words. */
export function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause, message } = thrown;
  const reason = cause instanceof Error ? `: ${cause.message || String(codeOf(cause) ?? cause.name)}` : "";
  return `${message || thrown.name}${reason}`.replace(/\s+/g, " ").trim();
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/** Common close codes (RFC 6455, section 7.4.1). */
const MEANINGS: Readonly<Record<number, string>> = {
  1000: "normal",
  1001: "going away",
  1002: "protocol error",
  1003: "unsupported data",
  1007: "invalid data",
  1008: "policy violation",
  1009: "message too big",
  1011: "internal error",
  1012: "restart",
  1013: "try again later",
};

/** Describes why a connection ended; the reason from the other end is quoted and escaped. */
export function closeReason(code: number, reason: Buffer): string {
  if (code === 1005 || code === 1006) return "the connection broke off";
  const meaning = MEANINGS[code] ? `, ${MEANINGS[code]}` : "";
  const words = reason.length > 0 ? `: ${JSON.stringify(reason.toString())}` : "";
  return `the other end closed it (${code}${meaning})${words}`;
}

/** Message of a socket error; one for a host with several addresses has only a code. */
export function errorReason(error: Error): string {
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

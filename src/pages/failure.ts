import { AdminClientError } from "../client/errors.ts";
import { messageOf } from "../core/values/basics.ts";

/** Who did not respond to a read. */
export type Absent = "gateway" | "engine" | undefined;

/** The gateway did not give one of a page's own documents; `status` is undefined when there was no response at all. */
export class PageFileError extends Error {
  readonly status: number | undefined;

  constructor(path: string, status: number | undefined, options?: ErrorOptions) {
    super(`${path}: ${status === undefined ? "no response" : `status ${status}`}`, options);
    this.name = "PageFileError";
    this.status = status;
  }
}

/** Statuses of proxies, `trading-admin console` included, that reach no gateway. */
const NO_GATEWAY: ReadonlySet<number | undefined> = new Set([undefined, 502]);

/** Who was away when a read failed; undefined for a failure of another kind. */
export function absentOf(failure: unknown): Absent {
  if (failure instanceof PageFileError) return NO_GATEWAY.has(failure.status) ? "gateway" : undefined;
  if (!(failure instanceof AdminClientError)) return undefined;
  if (NO_GATEWAY.has(failure.status)) return "gateway";
  return failure.status === 503 || failure.status === 504 ? "engine" : undefined;
}

/** A failure in sentences for an operator. */
export function failureText(failure: unknown): string {
  if (!(failure instanceof AdminClientError)) {
    return absentOf(failure) === undefined ? `${messageOf(failure)}.` : "The gateway does not answer.";
  }
  const { status, reason } = failure;
  if (status === 401) return "Your login is not accepted any more. Load the page again to log in.";
  const absent = absentOf(failure);
  if (absent === "gateway") return "The gateway does not answer.";
  return `${absent === "engine" ? "The engine does not answer: " : ""}${reason} (${status}).`;
}

import { AdminClientError } from "../client/errors.ts";
import { isoTimeOf, messageOf } from "../core/values/basics.ts";

/** The party that did not respond to a read. */
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

/** The unavailable party when a read failed; undefined for other failures. */
export function absentOf(failure: unknown): Absent {
  if (failure instanceof PageFileError) return NO_GATEWAY.has(failure.status) ? "gateway" : undefined;
  if (!(failure instanceof AdminClientError)) return undefined;
  if (NO_GATEWAY.has(failure.status)) return "gateway";
  return failure.status === 503 || failure.status === 504 ? "engine" : undefined;
}

/** Whether the gateway has no link to the engine, so that it sends nothing; otherwise the engine has not replied in time. */
export function isUnreachable(failure: unknown): boolean {
  return statusOf(failure) === 503;
}

/** A failure in a sentence for an operator; beside it its technical cause, empty where there is none to add. */
export interface PlainFailure {
  readonly text: string;
  readonly details: string;
}

export function plainFailure(failure: unknown): PlainFailure {
  const whole = failureText(failure);
  const absent = absentOf(failure);
  const text = absent === undefined ? whole : `The ${absent} does not answer.`;
  const cause = text === whole ? "" : whole;
  return { text, details: [cause, statusWords(failure)].filter(Boolean).join(" ") };
}

/** A failure in sentences for an operator, with its cause. */
export function failureText(failure: unknown): string {
  const absent = absentOf(failure);
  if (absent === "gateway") return "The gateway does not answer.";
  if (statusOf(failure) === 401) return "Your login is no longer accepted. Load the page again to log in.";
  if (failure instanceof PageFileError) return "The gateway failed to give a part of this page.";
  if (!(failure instanceof AdminClientError)) return sentence(messageOf(failure));
  return sentence(absent === "engine" ? `The engine does not answer: ${failure.reason}` : withoutField(failure.reason));
}

/** The HTTP status of a failure, for those who look for the cause; empty where there was no response. */
export function statusWords(failure: unknown): string {
  const status = statusOf(failure);
  return status === undefined ? "" : `Status ${status}.`;
}

function statusOf(failure: unknown): number | undefined {
  return failure instanceof AdminClientError || failure instanceof PageFileError ? failure.status : undefined;
}

/** Fields that a page fills in: whoever has named a node or chosen a projection does not know their names. */
const FIELD = /^projection(?:Path)?: /;

function withoutField(reason: string): string {
  return reason.replace(FIELD, "");
}

/** A text of the API as a sentence. */
export function sentence(text: string): string {
  return `${capitalized(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A time of day as audit records have it, `09:31:07 UTC`. */
export function utc(ms: number): string {
  const [date = "", time] = isoTimeOf(ms).split("T");
  return time === undefined ? date : `${time.slice(0, 8)} UTC`;
}

/** When something began: the time of day, with the date unless it is of today. */
export function since(ms: number): string {
  const [date, time] = isoTimeOf(ms).split("T");
  const isDated = time !== undefined && date !== isoTimeOf(Date.now()).split("T")[0];
  return isDated ? `${date} ${utc(ms)}` : utc(ms);
}

/** How long something takes, in words of a glance. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

export function ago(ms: number): string {
  return `${lasting(ms)} ago`;
}

import type { CallName } from "../core/operations/table.ts";

/** A response to a request, for logs and metrics. Holds neither paths nor credentials. */
export interface ResponseReport {
  readonly method: string;
  /** Null if the request asked for no operation, or its credentials were refused. */
  readonly operation: CallName | null;
  readonly status: number;
  /** `X-Request-Id` of the response. */
  readonly requestId: string;
  /** Null if the credentials were refused. */
  readonly user: string | null;
  /** Network address of the caller, if the adapter knows it. */
  readonly address: string | undefined;
  /** Milliseconds from the request's headers to its response. */
  readonly durationMs: number;
}

/** Called with every response, before it is written. */
export type ResponseListener = (report: ResponseReport) => void;

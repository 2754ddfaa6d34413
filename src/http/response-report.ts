import type { OperationName } from "../core/operations/table.ts";
import { throwUncaught } from "../core/values/basics.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";

/** A response to a request, for logs and metrics. Holds neither paths nor credentials. */
export interface ResponseReport {
  readonly method: string;
  /** Null when the request asked for no operation, or was refused before that was known. */
  readonly operation: OperationName | null;
  readonly status: number;
  readonly requestId: string;
  /** Null when no user was recognised. */
  readonly user: string | null;
  /** Network address of the caller, where the adapter knows it. */
  readonly address: string | undefined;
  /** Milliseconds from the request's headers to its response. */
  readonly durationMs: number;
}

/** Called with every response, before it is written. */
export type ResponseListener = (report: ResponseReport) => void;

/** Gathers what the report on a request will say while the request is under way. */
export class Observation {
  operation: OperationName | null = null;
  user: string | null = null;
  readonly #request: HttpRequest;
  readonly #requestId: string;
  readonly #listener: ResponseListener;
  readonly #startedAt = performance.now();

  constructor(request: HttpRequest, requestId: string, listener: ResponseListener) {
    this.#request = request;
    this.#requestId = requestId;
    this.#listener = listener;
  }

  /** Calls the listener; what it throws does not disturb the response and is rethrown by itself. */
  finish(response: HttpResponse): HttpResponse {
    try {
      this.#listener(this.#report(response.status));
    } catch (error) {
      throwUncaught(error);
    }
    return response;
  }

  #report(status: number): ResponseReport {
    return {
      method: this.#request.method,
      operation: this.operation,
      status,
      requestId: this.#requestId,
      user: this.user,
      address: this.#request.address,
      durationMs: performance.now() - this.#startedAt,
    };
  }
}

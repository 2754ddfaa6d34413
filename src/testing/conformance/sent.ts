import assert from "node:assert/strict";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  TransportError,
} from "../../core/engine/transport.ts";

/** Outcome of a request: a reply, or an error thrown immediately (`refused`) or later (`lost`). */
export type RequestOutcome =
  | { readonly kind: "reply"; readonly reply: EngineReply }
  | { readonly kind: "refused" | "lost"; readonly error: unknown };

export class SentRequest {
  readonly request: EngineRequest;
  /** Resolves with what happened to the request; never rejects. */
  readonly settled: Promise<RequestOutcome>;
  /** Undefined as long as the request is pending. */
  outcome: RequestOutcome | undefined;
  abandon = (): void => {};

  constructor(request: EngineRequest, exchange: (request: EngineRequest) => EngineExchange) {
    this.request = request;
    this.settled = this.#send(() => exchange(request)).then((outcome) => {
      this.outcome = outcome;
      return outcome;
    });
  }

  get id(): string {
    return this.request.context.requestId;
  }

  async #send(exchange: () => EngineExchange): Promise<RequestOutcome> {
    let taken: EngineExchange;
    try {
      taken = exchange();
    } catch (error) {
      this.outcome = { kind: "refused", error };
      return this.outcome;
    }
    this.abandon = () => taken.abandon();
    try {
      return { kind: "reply", reply: await taken.reply };
    } catch (error) {
      return { kind: "lost", error };
    }
  }
}

/** The error of a request that failed, which has to be a {@link TransportError}. */
export function transportErrorOf({ id, outcome }: SentRequest): TransportError | undefined {
  if (!outcome || outcome.kind === "reply") return undefined;
  if (outcome.error instanceof TransportError) return outcome.error;
  throw new assert.AssertionError({
    message: `request ${id} failed with something that is not a TransportError: ${String(outcome.error)}`,
    actual: outcome.error,
  });
}

/** Outcome of a request in words that can be compared. */
export function describeOutcome(sent: SentRequest): string {
  const { outcome } = sent;
  if (!outcome) return "pending";
  if (outcome.kind === "reply") {
    const { reply } = outcome;
    return reply.ok ? `reply: ${JSON.stringify(reply.result)}` : `reply: refusal ${reply.refusal}`;
  }
  const error = transportErrorOf(sent);
  const way = outcome.kind === "refused" ? "exchange threw" : "reply rejected with";
  return `${way} TransportError ${error?.fault}, sent: ${error?.sent}`;
}

/** Whether a request was refused because there is too much in progress, by either end; it was not begun then. */
export function isOverload(sent: SentRequest): boolean {
  const { outcome } = sent;
  if (outcome?.kind === "reply") return !outcome.reply.ok && outcome.reply.refusal === "overloaded";
  const error = transportErrorOf(sent);
  return error?.fault === "overloaded" && !error.sent;
}

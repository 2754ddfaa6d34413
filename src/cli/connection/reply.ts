import type { FetchResponse } from "../../client/exchange.ts";
import { failureReason, isCertainlyUnsent } from "../../client/network-failure.ts";
import { isSuccess, objectIn, saidOutcome } from "../../client/result.ts";
import { ROUTES } from "../../client/routes.ts";
import { needsStateBefore } from "../../client/shown.ts";
import type { CallName, OperationName } from "../../core/operations/table.ts";
import { OPERATION_FACTS } from "../operations/facts.ts";

/** Reply of an address to a request. */
export interface Reply {
  readonly address: URL;
  /**
   * `final` settles the request. `refused` does as well, unless another address may have carried it out. `unsent` has certainly done
   * nothing, and another address may do it. Of `open` nobody knows.
   */
  readonly verdict: "final" | "refused" | "unsent" | "open";
  /** Reason why a reply is not final. */
  readonly why: string;
  settle(): Promise<FetchResponse>;
}

/** The status of a gateway whose engine cannot be reached: nothing was sent (specification, "Errors"). */
const NOT_AVAILABLE = 503;

/** The API has no body for it (specification, "Errors"). */
const UNAUTHENTICATED = 401;

/** Statuses with which a gateway had no room or time for a request, so that nothing was sent; for a stop another one may have it. */
const NO_ROOM: ReadonlySet<number> = new Set([408, 429]);

/** Waits for what an address makes of a request, its body included. */
export async function replyOf(travel: Travel, address: URL, send: () => Promise<FetchResponse>): Promise<Reply> {
  try {
    const response = await send();
    const body = await response.text();
    const verdict = verdictOf(travel, response, body);
    return {
      address,
      verdict,
      why: `status ${response.status}`,
      settle: async () => ({ ...response, text: async () => body }),
    };
  } catch (error) {
    const verdict = isCertainlyUnsent(error) ? "unsent" : "open";
    return { address, verdict, why: failureReason(error), settle: () => Promise.reject(error) };
  }
}

function verdictOf(travel: Travel, response: FetchResponse, body: string): Reply["verdict"] {
  const { status } = response;
  const outcome = travel === "read" ? undefined : saidOutcome(response);
  if (outcome === "unknown") return "open";
  if (status === NOT_AVAILABLE && isOfTheApi(status, body)) return "unsent";
  if (travel === "read") return status < 500 ? "final" : "open";
  if (outcome === "applied" || isSuccess(status)) return "final";
  const isClientError = status >= 400 && status < 500;
  if (!isClientError && outcome !== "not-applied") return "open";
  return travel === "stop" ? verdictOfStop(status, body) : "refused";
}

/** Of a stop that was not accepted. What a proxy refuses, as where it reaches no gateway, another address may carry out. */
function verdictOfStop(status: number, body: string): Reply["verdict"] {
  if (NO_ROOM.has(status) || status >= 500) return "unsent";
  return status === UNAUTHENTICATED || isOfTheApi(status, body) ? "refused" : "open";
}

/** A proxy may respond 503 for a request that it has passed on, or 404 for a gateway that it does not reach; the API's own body says so. */
function isOfTheApi(status: number, body: string): boolean {
  const said = objectIn(body);
  return said.status === status && typeof said.message === "string";
}

/**
 * How a request may travel. A `read` may go to any address, again and again. A `stop` may go to another address although the one before may
 * have carried it out: twice halted or disabled is halted or disabled. Everything else is sent `once`: a change, and the disconnection of a
 * session, which would cut the connection that has come since.
 */
export type Travel = "read" | "stop" | "once";

export function travelOf(call: CallName): Travel {
  if (ROUTES[call].retry === "safe") return "read";
  // What is beyond the specification only reads.
  const operation = call as OperationName;
  return OPERATION_FACTS[operation].lane === "stop" && !needsStateBefore(operation) ? "stop" : "once";
}

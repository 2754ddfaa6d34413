import type { Clock } from "../core/clock.ts";
import type { CallName } from "../core/operations/table.ts";
import { startTimeLimit, unlessAborted } from "../core/timeout.ts";
import type { Fields } from "../core/values/basics.ts";
import type { Credentials } from "./credentials.ts";
import type { EncodedRequest } from "./request.ts";
import type { Route } from "./routes.ts";

/** The part of the Fetch standard that the client needs; the platform's own, or one that adds to it. */
export type Fetch = (url: string, init: RequestInit) => Promise<FetchResponse>;

/** The part of a `Response` that the client reads. */
export interface FetchResponse extends Pick<Response, "status" | "text"> {
  /** Headers by name, in any case; null for one that is absent. */
  readonly headers: Pick<Headers, "get">;
}

export interface Exchanges {
  /** URL of the base path, without a slash at the end. */
  readonly root: string;
  readonly credentials: Credentials;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface ClientCall {
  readonly name: CallName;
  readonly route: Route;
  readonly input: Fields;
  readonly requestId: string;
  readonly signal: AbortSignal | undefined;
  /** Value of `If-Match`. */
  readonly ifMatch?: string | undefined;
}

/** A response, its body read to the end. */
export interface Received {
  readonly kind: "received";
  readonly status: number;
  readonly headers: FetchResponse["headers"];
  readonly body: string;
}

export interface Lost {
  readonly kind: "lost";
  /** `credentials`: there were none to send; `network`: the request did not come through, or its response did not. */
  readonly at: "credentials" | "network";
  readonly thrown: unknown;
  /** The time was over, or the caller stopped waiting. */
  readonly aborted: boolean;
}

/**
 * Sends a call, once. A 401 that refuses an access token means that the request got no further than the security layer
 * (RFC 6750 section 3.1; decision D-HTTP 1), so it goes out again if there is another token: for mutations this is as
 * safe, and an expired token does not stand in a halt's way.
 */
export async function exchange(
  exchanges: Exchanges,
  call: ClientCall,
  request: EncodedRequest,
): Promise<Received | Lost> {
  const { credentials, clock, timeoutMs } = exchanges;
  const { signal, end } = startTimeLimit(clock, timeoutMs, call.signal);
  const sent = (authorization: string): Promise<Received> =>
    unlessAborted(send(exchanges, call, request, { authorization, signal }), signal);
  let at: Lost["at"] = "credentials";
  try {
    const authorization = await unlessAborted(credentials.authorization(), signal);
    at = "network";
    const first = await sent(authorization);
    if (!refusesToken(first)) return first;
    at = "credentials";
    const other = await unlessAborted(credentials.authorization(authorization), signal);
    if (other === authorization) return first;
    at = "network";
    return await sent(other);
  } catch (thrown) {
    // The caller of this function makes an error of it, with this as cause.
    return { kind: "lost", at, thrown, aborted: signal.aborted };
  } finally {
    end();
  }
}

async function send(
  { root, fetch }: Exchanges,
  { requestId, ifMatch }: ClientCall,
  { method, path, body }: EncodedRequest,
  { authorization, signal }: { readonly authorization: string; readonly signal: AbortSignal },
): Promise<Received> {
  const headers = {
    Accept: "application/json",
    Authorization: authorization,
    "X-Request-Id": requestId,
    ...(ifMatch !== undefined && { "If-Match": ifMatch }),
  };
  const response = await fetch(`${root}${path}`, {
    method,
    signal,
    headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
    body: body ?? null,
    // A command goes to the address and with the credentials that were given: nowhere else, and with no cookie.
    redirect: "manual",
    credentials: "omit",
  });
  return { kind: "received", status: response.status, headers: response.headers, body: await response.text() };
}

/** Whether a response refuses the access token, so that the request got no further. */
export function refusesToken({ status, headers }: Pick<Received, "status" | "headers">): boolean {
  return status === 401 && /^bearer .*error="?invalid_token\b/i.test(headers.get("www-authenticate") ?? "");
}

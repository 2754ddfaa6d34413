import { type Clock, systemClock } from "../core/clock.ts";
import { startTimeLimit, unlessAborted } from "../core/timeout.ts";
import { base64 } from "./credentials.ts";
import type { Fetch } from "./exchange.ts";
import { failureReason, isCertainlyUnsent } from "./network-failure.ts";
import { objectIn } from "./result.ts";

/** Parameters of a token request (RFC 6749 section 4.4). */
export interface ClientCredentialsOptions {
  /** The token endpoint of the identity provider. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Its secret; never in a message. */
  readonly clientSecret: string;
  /** Blank-separated scopes. */
  readonly scope?: string | undefined;
  /** Audience, for providers that take it as a parameter of that name. */
  readonly audience?: string | undefined;
  /** Audience as a resource indicator (RFC 8707). */
  readonly resource?: string | undefined;
  /** Where id and secret travel (RFC 6749 section 2.3.1): `basic`, the default, in the header; `post` in the body. */
  readonly authentication?: "basic" | "post" | undefined;
  /** Sends the requests; the platform's own `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds for one request; 5,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Source of time; tests give one that they hold. */
  readonly clock?: Clock | undefined;
}

/** A token as the provider gave it. */
export interface IssuedToken {
  readonly token: string;
  /** Milliseconds for which it is valid, counted from the request. */
  readonly lifetimeMs: number;
}

/** The identity provider gave no token. The message holds its response, and never a secret. */
export class TokenRequestError extends Error {
  override readonly name = "TokenRequestError";
  /** Error code of the provider (RFC 6749 section 5.2), such as `invalid_client`; undefined when it gave none. */
  readonly code: string | undefined;

  constructor(message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Lifetime where the provider does not say one; a token that is refused earlier is replaced then. */
const UNKNOWN_LIFETIME_S = 60;

export async function requestToken(options: ClientCredentialsOptions): Promise<IssuedToken> {
  const { tokenUrl, timeoutMs = 5_000, clock = systemClock } = options;
  const { origin, pathname } = new URL(tokenUrl);
  const { signal, end } = startTimeLimit(clock, timeoutMs, undefined);
  try {
    const { status, body } = await unlessAborted(postAgainIfLost(options, signal), signal);
    return issuedToken(status, body);
  } catch (thrown) {
    const code = thrown instanceof TokenRequestError ? thrown.code : undefined;
    throw new TokenRequestError(`${origin}${pathname} gave no access token: ${failureReason(thrown)}`, code, {
      cause: thrown,
    });
  } finally {
    end();
  }
}

/** A provider may close a connection that was kept in the moment in which it is used: asking again changes nothing. */
async function postAgainIfLost(options: ClientCredentialsOptions, signal: AbortSignal): ReturnType<typeof post> {
  try {
    return await post(options, signal);
  } catch (thrown) {
    if (signal.aborted || isCertainlyUnsent(thrown)) throw thrown;
    return post(options, signal);
  }
}

async function post(
  options: ClientCredentialsOptions,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  const { tokenUrl, clientId, clientSecret, scope, audience, resource, fetch = globalThis.fetch } = options;
  const isInBody = options.authentication === "post";
  const secret = isInBody ? { client_id: clientId, client_secret: clientSecret } : {};
  const header = isInBody ? {} : { Authorization: basicOf(clientId, clientSecret) };
  const fields = { grant_type: "client_credentials", ...secret, scope, audience, resource };
  const response = await fetch(tokenUrl, {
    method: "POST",
    signal,
    headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded", ...header },
    body: formOf(fields),
    // The secret goes to the address that was given and nowhere else.
    redirect: "manual",
    credentials: "omit",
  });
  return { status: response.status, body: await response.text() };
}

/** Id and secret are form-encoded first (RFC 6749 section 2.3.1), so that a colon in the id does not end it. */
function basicOf(clientId: string, clientSecret: string): string {
  return `Basic ${base64(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function formOf(fields: Readonly<Record<string, string | undefined>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  return form.toString();
}

function issuedToken(status: number, body: string): IssuedToken {
  const reply = objectIn(body);
  const { access_token: token, token_type: type, expires_in: lifetime, error, error_description: description } = reply;
  if (status !== 200) {
    const code = typeof error === "string" ? error : undefined;
    const words = [code, description].filter((word) => typeof word === "string").join(": ");
    throw new TokenRequestError(`status ${status}${words && `, ${words.slice(0, 300)}`}`, code);
  }
  if (typeof token !== "string" || token === "") throw new TokenRequestError("its response holds no access_token");
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    throw new TokenRequestError("its response holds no token of the type Bearer");
  }
  const seconds = Number(lifetime ?? UNKNOWN_LIFETIME_S);
  return { token, lifetimeMs: (seconds > 0 ? seconds : UNKNOWN_LIFETIME_S) * 1_000 };
}

import { type Clock, systemClock } from "../core/clock.ts";
import { CLOCK, functionLike, ifGiven, oneOf, optionsOf, SOME_MS, textLike } from "../core/options.ts";
import { checkedAddress } from "./request.ts";
import { type ClientCredentialsOptions, requestToken } from "./token-request.ts";

const checked = optionsOf<ClientCredentialsOptions>("clientCredentials", {
  tokenUrl: textLike('"https://login.example.com/token"'),
  clientId: textLike('"start-of-day"'),
  clientSecret: textLike("the secret of the client"),
  scope: ifGiven(textLike('"trading"')),
  audience: ifGiven(textLike('"trading-admin"')),
  resource: ifGiven(textLike('"https://monitor:8988"')),
  authentication: ifGiven(oneOf({ basic: true, post: true })),
  fetch: ifGiven(functionLike("globalThis.fetch")),
  timeoutMs: ifGiven(SOME_MS),
  clock: ifGiven(CLOCK),
});

interface HeldToken {
  readonly token: string;
  /** Epoch milliseconds from which it is no longer used. */
  readonly expiresAt: number;
}

/** A token is renewed at a moment of its last fifth, not the same for all who got theirs at the same time. */
const LATEST_SHARE = 0.1;
const SPREAD_SHARE = 0.1;
/** Least time between a renewal that failed and the next, while the old token is still valid; up to twice that. */
const RETRY_MS = 5_000;

/**
 * Access tokens of the client credentials grant (RFC 6749 section 4.4), for `bearer`. A token is kept until it expires and
 * renewed before that, without a request waiting for it; while one request to the provider is pending, no second is sent;
 * when the provider is down, the token that is there is used as long as it is valid. Has no timer and needs no closing.
 *
 * The source rejects with `TokenRequestError` when there is no valid token and none is to be had.
 *
 * @throws TypeError for a `tokenUrl` that is not an http or https URL, or holds credentials or a fragment.
 *
 * @example
 * const tokens = clientCredentials({ tokenUrl: "https://login.example.com/token", clientId: "start-of-day", clientSecret });
 * createClient({ baseUrl, credentials: bearer(tokens) });
 */
export function clientCredentials(options: ClientCredentialsOptions): (refused?: string) => Promise<string> {
  checkedAddress("tokenUrl", checked(options).tokenUrl);
  const source = new RenewedToken(options);
  return (refused) => source.next(refused);
}

class RenewedToken {
  readonly #options: ClientCredentialsOptions;
  readonly #clock: Clock;
  #held: HeldToken | undefined;
  #inProgress: Promise<HeldToken> | undefined;
  #nextRenewalAt = 0;

  constructor(options: ClientCredentialsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async next(refused: string | undefined): Promise<string> {
    // Only the token that was refused is given up: another call may have got the next one meanwhile.
    if (this.#held && this.#held.token === refused) this.#held = undefined;
    const held = this.#held;
    const now = this.#clock.now();
    if (!held || now >= held.expiresAt) return (await this.#renewed()).token;
    // The old token is still good, so a failure concerns no one: it is reported when there is no token any more.
    if (now >= this.#nextRenewalAt) {
      this.#renewed().catch(() => {
        this.#nextRenewalAt = this.#clock.now() + RETRY_MS * (1 + Math.random());
      });
    }
    return held.token;
  }

  #renewed(): Promise<HeldToken> {
    this.#inProgress ??= this.#request().finally(() => {
      this.#inProgress = undefined;
    });
    return this.#inProgress;
  }

  async #request(): Promise<HeldToken> {
    const requestedAt = this.#clock.now();
    const { token, lifetimeMs } = await requestToken(this.#options);
    this.#held = { token, expiresAt: requestedAt + lifetimeMs };
    this.#nextRenewalAt = requestedAt + lifetimeMs * (1 - LATEST_SHARE - SPREAD_SHARE * Math.random());
    return this.#held;
  }
}

import type { Fetch } from "../../client/exchange.ts";
import { isCertainlyUnsent } from "../../client/network-failure.ts";

/** Remedy for a failed connection, as the end of a sentence; empty where the error is self-explanatory. */
export function adviceFor({ code }: NodeJS.ErrnoException): string {
  return ADVICE[code ?? ""] ?? "";
}

const NO_TLS = "; this port does not speak TLS: is it an http:// address?";

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "; nothing listens there: is the gateway running, and on this port?",
  ENOTFOUND: "; the name is not known: check how it is spelt",
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ECONNRESET: "; is it an https:// address, or does it ask for a client certificate?",
};

/** Where no address was given, the one that is tried is a guess, and the message says so when it fails. */
export function guessing(fetch: Fetch): Fetch {
  return async (url, init) => {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (error instanceof Error && isCertainlyUnsent(error)) {
        error.message += "; no address was given: --url or TRADING_ADMIN_URL names the gateway";
      }
      throw error;
    }
  };
}

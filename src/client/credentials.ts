import { functionLike, requireArgument, textLike } from "../core/options.ts";

/** Where the `Authorization` header of each request comes from. Make one with {@link basic} or {@link bearer}. */
export interface Credentials {
  /**
   * The value of the header. `refused` is the value that the API has just refused as an invalid token: a different value
   * makes the client try once more.
   */
  authorization(refused?: string): string | Promise<string>;
}

/**
 * Gives an access token for the next request. `refused` is a token that the API has just refused as invalid; give another
 * one, or the same when there is no other. A function that only returns a token is a token source too.
 */
export type TokenSource = (refused?: string) => string | Promise<string>;

// RFC 7617 section 2: no control characters, and no colon in the user's name.
const CONTROL = /\p{Cc}/u;
// RFC 6750 section 2.1. Checked here because the message of `fetch` would quote a token that it refuses.
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const SCHEME = "Bearer ";

/**
 * Credentials of a user, sent with every request (RFC 7617, in UTF-8). Only for TLS and loopback: they can be read on the
 * way otherwise.
 *
 * @throws TypeError for a name that holds a colon, and for control characters and an empty password, which no server
 * accepts.
 *
 * @example
 * createClient({ baseUrl, credentials: basic("alice", password) });
 */
export function basic(user: string, password: string): Credentials {
  requireArgument("basic", "user", user, textLike('"alice"'));
  requireArgument("basic", "password", password, textLike("the password"));
  if (user.includes(":")) throw new TypeError("A user's name must not hold a colon: HTTP Basic cannot carry it");
  if (CONTROL.test(user + password)) {
    throw new TypeError("User and password must not hold control characters, such as the line end of a password file");
  }
  if (password === "") throw new TypeError("The password is empty");
  const value = `Basic ${base64(`${user}:${password}`)}`;
  return { authorization: () => value };
}

/**
 * An access token, sent with every request (RFC 6750). `source` is asked before each one.
 *
 * @example
 * createClient({ baseUrl, credentials: bearer(() => readFile("token", "utf8")) });
 */
export function bearer(source: TokenSource): Credentials {
  requireArgument("bearer", "source", source, functionLike('() => readFile("token", "utf8")'));
  return {
    async authorization(refused) {
      const token: unknown = await source(refused?.slice(SCHEME.length));
      if (typeof token === "string" && TOKEN.test(token)) return `${SCHEME}${token}`;
      throw new TypeError("The token source gave no access token: text without blanks and line ends is expected");
    },
  };
}

/** Base64 of the UTF-8 form of a text; `btoa` alone takes only Latin-1. */
export function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { PERMITTED, USERS, userOf } from "./users.ts";

/** The slowest to check. */
const ALGORITHM = "ES512";
const KEY_ID = "storm";
const WRONG_CHARACTERS = 8;

/** An identity provider, whose tokens stand for the passwords of all users. */
export class TokenIssuer {
  readonly #server: Server;
  readonly #tokens: ReadonlyMap<string, string>;

  private constructor(server: Server, tokens: ReadonlyMap<string, string>) {
    this.#server = server;
    this.#tokens = tokens;
  }

  static async start(): Promise<TokenIssuer> {
    const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID }] });
    const server = createServer((_request, response) => response.end(keys)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const tokens = USERS.map(async (user) => {
      const token = new SignJWT({ authorities: PERMITTED[user] ?? [] }).setSubject(user).setExpirationTime("1h");
      return [user, await token.setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID }).sign(privateKey)] as const;
    });
    return new TokenIssuer(server, new Map(await Promise.all(tokens)));
  }

  /** For a gateway whose users bring its tokens. */
  get settings(): string {
    const keys = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`;
    return `security.oauth2.authenticationType: PROVIDER
spring.security.oauth2.resourceserver.jwt.jwk-set-uri: ${keys}
spring.security.oauth2.resourceserver.jwt.jws-algorithms: ${ALGORITHM}
`;
  }

  /** The token in place of a password, `Authorization` for `Authorization`: a wrong password becomes a token with a wrong signature. */
  inPlaceOf(basic: string): string {
    const { name, isRight } = userOf(basic);
    const token = this.#tokens.get(name) ?? "";
    if (isRight) return `Bearer ${token}`;
    // Near a right one: what is not a number of the curve is refused without being checked.
    return `Bearer ${token.slice(0, -WRONG_CHARACTERS)}${randomBytes(WRONG_CHARACTERS / 2).toString("hex")}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";
import { type BasicCredentials, MAX_HEADER_LENGTH, parseBasicCredentials } from "./basic-credentials.ts";
import { RememberedLogins } from "./remembered-logins.ts";
import type { UserDirectory } from "./user-directory.ts";

/** HTTP Basic against a directory that can be exchanged. */
export interface BasicAuthenticator extends Authenticator {
  /** Puts another directory in force and forgets all credentials, so that removed users lose access at once (D-UAC 5). */
  replaceDirectory(directory: UserDirectory): void;
}

/** The one answer to credentials that are missing or wrong, whatever is wrong with them (RFC 7617 section 2). */
const CHALLENGE: Authentication = {
  kind: "challenge",
  challenge: 'Basic realm="trading-admin", charset="UTF-8"',
};

/**
 * HTTP Basic (RFC 7617) against a user directory. Credentials that were right are remembered for five minutes, by digest, and
 * then answered at once; wrong ones never are. Concurrent requests with the same new credentials share one check.
 */
export function basicAuthenticator(directory: UserDirectory, clock: Clock): BasicAuthenticator {
  return new BasicOverDirectory(directory, clock);
}

class BasicOverDirectory implements BasicAuthenticator {
  #directory: UserDirectory;
  readonly #secret = randomBytes(32).toString("base64");
  readonly #remembered: RememberedLogins;
  readonly #underWay = new Map<string, Promise<Authentication>>();

  constructor(directory: UserDirectory, clock: Clock) {
    this.#directory = directory;
    this.#remembered = new RememberedLogins(clock);
  }

  authenticate(authorization: string | undefined): Authentication | Promise<Authentication> {
    if (authorization === undefined || authorization.length > MAX_HEADER_LENGTH) return CHALLENGE;
    const key = this.#digest(authorization);
    return this.#remembered.get(key) ?? this.#underWay.get(key) ?? this.#begin(key, authorization);
  }

  replaceDirectory(directory: UserDirectory): void {
    this.#directory = directory;
    this.#remembered.clear();
    this.#underWay.clear();
  }

  /**
   * A hash over secret and header is a sound keyed digest here, and a quarter of the cost of HMAC: what HMAC adds is safety
   * from those who see digests and extend them, and these never leave the process.
   */
  #digest(authorization: string): string {
    return hash("sha256", this.#secret + authorization, "binary");
  }

  #begin(key: string, authorization: string): Authentication | Promise<Authentication> {
    const credentials = parseBasicCredentials(authorization);
    if (!credentials) return CHALLENGE;
    const check = this.#check(key, credentials).finally(() => {
      if (this.#underWay.get(key) === check) this.#underWay.delete(key);
    });
    this.#underWay.set(key, check);
    return check;
  }

  /** Starts over when the directory was replaced meanwhile: what the old one said no longer counts (decision D-UAC 5). */
  async #check(key: string, credentials: BasicCredentials): Promise<Authentication> {
    for (;;) {
      const directory = this.#directory;
      const user = await directory.verify(credentials.name, credentials.password);
      if (directory !== this.#directory) continue;
      if (!user) return CHALLENGE;
      const { name, permissions } = user;
      const accepted: Authentication = { kind: "principal", principal: { name, permissions, authentication: "basic" } };
      this.#remembered.remember(key, accepted);
      return accepted;
    }
  }
}

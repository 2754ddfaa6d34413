import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { WaitingCallers } from "../core/load/waiting-callers.ts";
import { networkOrigin } from "../core/network.ts";
import { isThenable } from "../core/values/basics.ts";
import type { Authentication, Authenticator, Caller, PresentedCredentials } from "./authenticator.ts";
import { type KnownUser, nameKey, type UserDirectory } from "./names.ts";
import { DirectoryPrincipal, RememberedLogins, type StopLoginOptions, StopLogins } from "./remembered-logins.ts";
import type { Login, SharedLoginFailures } from "./throttle/login-delays.ts";
import { LoginThrottle } from "./throttle/login-throttle.ts";

/** Limits on concurrent password checks. */
export interface LoginLimits {
  /** Checks of a password that may run at the same time; 2 unless given. */
  readonly checksAtATime?: number;
  /** Longest delay of a login after failures, in milliseconds; 5,000 unless given, 0 slows nothing. */
  readonly maxDelayMs?: number | undefined;
  /** Name of what the credentials are for, which browsers show; `trading-admin` unless given. */
  readonly realm?: string;
  /** Wrong passwords at other gateways, which count here too; none unless given. */
  readonly sharedFailures?: SharedLoginFailures | undefined;
}

/** RFC 7617 section 2. */
function challengeOf(realm: string): string {
  if (!/^[\x20-\x7e]+$/.test(realm)) throw new TypeError("A realm must be text of printable ASCII characters");
  return `Basic realm="${realm.replace(/["\\]/g, "\\$&")}", charset="UTF-8"`;
}

/**
 * HTTP Basic (RFC 7617) against a user directory that can be exchanged. Credentials that were right are remembered for five
 * minutes, by digest, and then accepted immediately; wrong ones are never remembered. Concurrent requests of one network address with
 * the same new credentials share one check. Failures slow further logins of their user and address, and nothing that was right
 * before. With `stops`, credentials that were right before are worth a stop while the directory is unreachable.
 */
export class DirectoryAuthenticator implements Authenticator {
  #directory: UserDirectory;
  readonly #challenge: string;
  readonly #secret = randomBytes(32).toString("base64");
  readonly #remembered: RememberedLogins;
  readonly #throttle: LoginThrottle;
  readonly #stops: StopLogins | undefined;
  /** By digest and origin: a check that is slowed for one origin must not be waited for by another. */
  readonly #inProgress = new Map<string, { readonly check: LoginCheck; readonly result: Promise<Authentication> }>();

  constructor(
    directory: UserDirectory,
    clock: Clock,
    { checksAtATime = 2, maxDelayMs = 5_000, realm = "trading-admin", sharedFailures }: LoginLimits = {},
    stops?: StopLoginOptions,
  ) {
    this.#directory = directory;
    this.#challenge = challengeOf(realm);
    this.#remembered = new RememberedLogins(clock);
    this.#throttle = new LoginThrottle(clock, checksAtATime, maxDelayMs, sharedFailures);
    this.#stops = stops && new StopLogins(clock, this.#remembered, stops);
  }

  authenticate(authorization: string | undefined, caller?: Caller): Authentication | Promise<Authentication> {
    if (authorization === undefined || authorization.length > MAX_HEADER_LENGTH) return this.#missing;
    const digest = this.#digest(authorization);
    const remembered = this.#remembered.get(digest);
    if (remembered) return remembered;
    const result = this.#ask(digest, authorization, caller);
    if (!this.#stops || !caller?.isStop || !isThenable(result)) return result;
    return this.#stops.resultOf(result, digest, () => this.#directory);
  }

  /** Replaces the directory and forgets all credentials, so that removed users lose access immediately (D-UAC 5). */
  replaceDirectory(directory: UserDirectory): void {
    this.#directory = directory;
    this.#remembered.clear((name) => directory.known !== undefined && directory.known(name) === undefined);
    this.#inProgress.clear();
  }

  get #missing(): Authentication {
    return { kind: "challenge", challenge: this.#challenge };
  }

  /**
   * A hash over secret and header is a sound keyed digest here, and a quarter of the cost of HMAC: what HMAC adds is safety
   * from those who see digests and extend them, and these never leave the process.
   */
  #digest(authorization: string): string {
    return hash("sha256", this.#secret + authorization, "binary");
  }

  #ask(digest: string, authorization: string, caller: Caller | undefined): Authentication | Promise<Authentication> {
    const origin = networkOrigin(caller?.address);
    const key = digest + origin;
    const inProgress = this.#inProgress.get(key);
    if (inProgress) {
      const hasPlace = inProgress.check.join(caller) || (caller?.isStop && this.#remembered.wereAccepted(digest));
      return hasPlace ? inProgress.result : inProgress.check.throttled;
    }
    const credentials = parseBasicCredentials(authorization);
    if (!credentials) return this.#missing;
    const check = new LoginCheck({ user: this.#userOf(credentials.name), origin, digest }, credentials.name, caller);
    return this.#begin(key, check, credentials);
  }

  /** The user whose failures count: all spellings of a name are one user. */
  #userOf(name: string): string {
    return hash("sha256", nameKey(this.#directory.known?.(name)?.name ?? name), "base64url");
  }

  #begin(key: string, check: LoginCheck, credentials: BasicCredentials): Promise<Authentication> {
    const result = this.#check(check, credentials).finally(() => {
      if (this.#inProgress.get(key)?.check === check) this.#inProgress.delete(key);
    });
    this.#inProgress.set(key, { check, result });
    return result;
  }

  async #check(check: LoginCheck, credentials: BasicCredentials): Promise<Authentication> {
    const entered = this.#throttle.enter(check.login, this.#remembered.wereAccepted(check.login.digest));
    const hasPlace = isThenable(entered) ? await entered : entered;
    if (hasPlace) return this.#atPlace(check, credentials, () => this.#refuse(check));
    return this.#throttle.hold(check.throttled, {
      user: check.login.user,
      exists: exists(this.#directory, credentials.name),
      callers: check.callers,
      check: () => this.#inTurn(check, credentials),
    });
  }

  async #inTurn(check: LoginCheck, credentials: BasicCredentials): Promise<Authentication> {
    await this.#throttle.enter(check.login, true);
    return this.#atPlace(check, credentials, () => check.throttled);
  }

  /** Checks credentials that have got a place, and gives it back. */
  async #atPlace(
    check: LoginCheck,
    credentials: BasicCredentials,
    refuse: () => Authentication,
  ): Promise<Authentication> {
    try {
      // While this one waited, the same credentials may have come from elsewhere.
      const remembered = this.#remembered.get(check.login.digest);
      if (remembered) return remembered;
      if (check.callers.areGone) return check.throttled;
      const user = await this.#verify(credentials);
      return user ? this.#accept(check, user) : refuse();
    } finally {
      this.#throttle.leave();
    }
  }

  /** Starts over when the directory was replaced meanwhile: what the old one found does not count (decision D-UAC 5). */
  async #verify({ name, password }: BasicCredentials): Promise<KnownUser | undefined> {
    for (;;) {
      const directory = this.#directory;
      const user = await directory.verify(name, password);
      if (directory === this.#directory) return user;
    }
  }

  #accept({ login }: LoginCheck, user: KnownUser): Authentication {
    this.#throttle.succeeded(login);
    return this.#remembered.remember(login.digest, new DirectoryPrincipal(user, () => this.#directory));
  }

  #refuse({ login, presented }: LoginCheck): Authentication {
    this.#remembered.forget(login.digest);
    this.#throttle.failed(login);
    return { kind: "challenge", challenge: this.#challenge, presented };
  }
}

function exists(directory: UserDirectory, name: string): boolean {
  return directory.known ? directory.known(name) !== undefined : directory.mayExist?.(name) === true;
}

/** Requests that may wait for one check: each takes memory, and no client sends this many together. */
const MAX_CALLERS = 1_000;

/** A check of credentials in progress. Requests of one origin with the same credentials share it. */
class LoginCheck {
  readonly login: Login;
  readonly presented: PresentedCredentials;
  readonly callers: WaitingCallers;

  constructor(login: Login, name: string, caller: Caller | undefined) {
    this.login = login;
    this.presented = { user: name, authentication: "basic" };
    this.callers = new WaitingCallers(caller);
  }

  /** Adds a caller; false when there are too many. */
  join(caller: Caller | undefined): boolean {
    if (this.callers.size >= MAX_CALLERS) return false;
    this.callers.add(caller);
    return true;
  }

  /** The response when there was no place for a check, and no turn in which the credentials turned out to be right. */
  get throttled(): Authentication {
    const reason =
      "Too many logins from this address fail or wait, so these credentials were not accepted; they may be right. Try again in a few seconds";
    return { kind: "throttled", reason, presented: this.presented };
  }
}

/** Name and password of an `Authorization: Basic` header. */
interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/** Longest header that is looked at, in characters. */
const MAX_HEADER_LENGTH = 4096;

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads an `Authorization` header of the Basic scheme (RFC 7617): scheme in any case, canonical padded base64, UTF-8, the
 * first colon ends the name, no control characters. Undefined for everything else, another scheme (decision D-AUTH 4) and
 * an empty name or password (decision D-UAC 1) included.
 */
export function parseBasicCredentials(authorization: string): BasicCredentials | undefined {
  if (authorization.length > MAX_HEADER_LENGTH) return undefined;
  const base64 = BASIC.exec(authorization)?.[1];
  const text = base64 === undefined ? undefined : decode(base64);
  if (text === undefined || /\p{Cc}/u.test(text)) return undefined;
  const colon = text.indexOf(":");
  if (colon < 1 || colon === text.length - 1) return undefined;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import type { Logger } from "../core/logger.ts";
import type { Permission, Principal } from "../core/principal.ts";
import { BoundedMap } from "../core/values/bounded-map.ts";
import type { Authentication } from "./authenticator.ts";
import type { KnownUser, UserDirectory } from "./names.ts";

const REMEMBERED_MS = 5 * 60 * 1000;
const CAPACITY = 10_000;

/** Of one user: the same password can be written in many ways, which must not push out those of others. */
const CAPACITY_OF_USER = 16;

/** That a directory accepted credentials. */
export interface Acceptance {
  /** Of the user, as the directory spells it. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface RememberedLogin {
  readonly authentication: Authentication;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * Credentials that were right, by digest, for five minutes each. When there are too many, those that were used longest ago are forgotten. That they
 * were right once is known for longer: such credentials are checked again, but do not count as guesses.
 */
export class RememberedLogins {
  readonly #clock: Clock;
  readonly #logins = new LRUCache<string, RememberedLogin>({ max: CAPACITY });
  readonly #proven = new LRUCache<string, Acceptance>({ max: CAPACITY });
  /** Digests by the user's name, the latest last. */
  readonly #digests = new LRUCache<string, BoundedMap<string, true>>({ max: CAPACITY });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(digest: string): Authentication | undefined {
    const login = this.#logins.get(digest);
    if (login && distanceMs(this.#clock, login.at) <= REMEMBERED_MS) return login.authentication;
    this.#logins.delete(digest);
    return undefined;
  }

  /** Whether these credentials were right when they were last checked. */
  wereAccepted(digest: string): boolean {
    return this.acceptance(digest) !== undefined;
  }

  /** The last acceptance of these credentials, unless they were refused since. */
  acceptance(digest: string): Acceptance | undefined {
    return this.#proven.get(digest);
  }

  remember(digest: string, principal: Principal): Authentication {
    const authentication: Authentication = { kind: "principal", principal, isPasswordVerified: true };
    const at = this.#clock.now();
    this.#logins.set(digest, { authentication, at });
    this.#proven.set(digest, { name: principal.name, at });
    this.#limit(principal.name, digest);
    return authentication;
  }

  /** Forgets the oldest credentials of a user who has too many. */
  #limit(name: string, latest: string): void {
    const digests = this.#digests.get(name) ?? new BoundedMap<string, true>(CAPACITY_OF_USER);
    const [oldest] = digests.setNewest(latest, true) ?? [];
    this.#digests.set(name, digests);
    if (oldest === undefined) return;
    this.#logins.delete(oldest);
    this.#proven.delete(oldest);
  }

  /** Takes back that these credentials were right. */
  forget(digest: string): void {
    this.#proven.delete(digest);
  }

  /** All credentials have to be checked again; those of users who are gone were never right. */
  clear(isGone: (name: string) => boolean): void {
    this.#logins.clear();
    for (const [digest, { name }] of [...this.#proven]) if (isGone(name)) this.#proven.delete(digest);
  }
}

/** How far a moment is away: it may be ahead, as the machine's clock may be set back. */
function distanceMs(clock: Clock, at: number): number {
  return Math.abs(clock.now() - at);
}

/** Use of remembered credentials while the directory is unreachable. */
export interface StopLoginOptions {
  /** How long after the directory accepted them they are still worth a stop, in milliseconds. */
  readonly lifetimeMs: number;
  readonly log: Logger;
}

/** Time that a stop with remembered credentials waits for the directory: as long as for its record. */
const WAIT_MS = 500;

/** Lines in the log a minute; the audit has a record of each stop. */
const MAX_LINES = 20;
const MINUTE_MS = 60_000;

/**
 * Lets callers stop trading while the directory is unreachable, by credentials that it has accepted before: neither it nor its
 * silence may stand in the way of a stop. Everything else stays refused (decision D-AUTH 11).
 */
export class StopLogins {
  readonly #clock: Clock;
  readonly #options: StopLoginOptions;
  readonly #remembered: RememberedLogins;
  #lines = 0;
  #linesSince = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, remembered: RememberedLogins, options: StopLoginOptions) {
    this.#clock = clock;
    this.#remembered = remembered;
    this.#options = options;
  }

  /** The result of a check of credentials; what is known of them when it fails, or takes too long. */
  resultOf(checking: Promise<Authentication>, digest: string, directory: () => UserDirectory): Promise<Authentication> {
    return new Promise((resolve, reject) => {
      let isLetIn = false;
      const letIn = (): void => {
        const known = isLetIn ? undefined : this.#known(digest, directory);
        if (!known) return;
        isLetIn = true;
        resolve(known);
      };
      const cancel = this.#clock.schedule(WAIT_MS, letIn);
      checking.finally(cancel).then(resolve, (error: unknown) => {
        letIn();
        reject(error);
      });
    });
  }

  /** The user as known now: one who was removed is not let in, and permissions are those of today's access rules. */
  #known(digest: string, directory: () => UserDirectory): Authentication | undefined {
    const acceptance = this.#remembered.acceptance(digest);
    const isRecent = acceptance && distanceMs(this.#clock, acceptance.at) < this.#options.lifetimeMs;
    const user = isRecent ? directory().known?.(acceptance.name) : undefined;
    if (!acceptance || !user) return undefined;
    this.#report(user.name, acceptance.at);
    const principal = new DirectoryPrincipal(user, directory);
    return { kind: "principal", principal, isPasswordVerified: true };
  }

  #report(name: string, acceptedAt: number): void {
    const now = this.#clock.now();
    if (Math.abs(now - this.#linesSince) >= MINUTE_MS) {
      this.#lines = 0;
      this.#linesSince = now;
    }
    this.#lines += 1;
    if (this.#lines > MAX_LINES) return;
    const more = this.#lines === MAX_LINES ? ". Others within this minute are not logged" : "";
    const time = new Date(acceptedAt).toISOString();
    this.#options.log.warn(
      `The directory is unreachable: ${JSON.stringify(name)} is let in for a stop, by credentials that it accepted at ${time}${more}`,
    );
  }
}

/** A user whom a directory has accepted, and who may be removed from it while their requests are in progress. */
export class DirectoryPrincipal implements Principal {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly authentication = "basic";
  readonly #user: KnownUser;
  readonly #directory: UserDirectory;
  readonly #inForce: () => UserDirectory;

  constructor(user: KnownUser, inForce: () => UserDirectory) {
    this.name = user.name;
    this.permissions = user.permissions;
    this.#user = user;
    this.#directory = inForce();
    this.#inForce = inForce;
  }

  /** A directory that cannot be asked without a password has forgotten all users when it was replaced. */
  permissionsNow(): ReadonlySet<Permission> | undefined {
    const directory = this.#inForce();
    if (directory !== this.#directory) return directory.known?.(this.name)?.permissions;
    return this.#user.permissionsNow ? this.#user.permissionsNow() : this.permissions;
  }
}

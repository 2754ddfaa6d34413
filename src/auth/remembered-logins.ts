import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import type { Principal } from "../core/principal.ts";
import { BoundedMap } from "../core/values/bounded-map.ts";
import type { Authentication } from "./authenticator.ts";

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

/**
 * Credentials that were right, by digest, for five minutes each. When there are too many, those that were used longest ago are forgotten. That they
 * were right once is known for longer: such credentials are checked again, but do not count as guesses.
 */
export class RememberedLogins {
  readonly #clock: Clock;
  readonly #logins: LRUCache<string, Authentication>;
  readonly #proven = new LRUCache<string, Acceptance>({ max: CAPACITY });
  /** Digests by the user's name, the latest last. */
  readonly #digests = new LRUCache<string, BoundedMap<string, true>>({ max: CAPACITY });

  constructor(clock: Clock) {
    this.#clock = clock;
    // An entry of time 0 would never end, and a test may hold its clock there.
    const perf = { now: () => clock.now() + 1 };
    this.#logins = new LRUCache({ max: CAPACITY, ttl: REMEMBERED_MS, ttlResolution: 0, perf });
  }

  get(digest: string): Authentication | undefined {
    return this.#logins.get(digest);
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
    const authentication: Authentication = { kind: "principal", principal };
    this.#logins.set(digest, authentication);
    this.#proven.set(digest, { name: principal.name, at: this.#clock.now() });
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

import type { AuditTrail } from "./audit-trail.ts";
import type { Clock } from "./clock.ts";
import type { FailedLogin, Listeners } from "./events.ts";

/** How long failures of one kind are counted before they are recorded together. */
const INTERVAL_MS = 60_000;

/** Users and addresses that are told apart within an interval; what is beyond is counted together. */
const MAX_GROUPS = 256;

const MAX_NAME_LENGTH = 128;

/** Failed logins of one user and one address that have not been recorded yet. */
interface Group {
  /** The first of them. */
  first: FailedLogin;
  count: number;
  /** Until then failures belong to this group. */
  until: number;
}

export interface FailedLoginsOptions {
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly listeners: Listeners;
}

/**
 * Records failed logins without becoming a flood itself: the first of a user and an address at once, those that follow in a
 * minute as one record that counts them. Listeners hear of each.
 */
export class FailedLogins {
  readonly #options: FailedLoginsOptions;
  readonly #groups = new Map<string, Group>();
  #cancelFlush: (() => void) | undefined;

  constructor(options: FailedLoginsOptions) {
    this.#options = options;
  }

  add(given: FailedLogin): void {
    const login = { ...given, user: given.user === null ? null : cut(given.user) };
    this.#options.listeners.emit("loginFailed", login);
    const now = this.#options.clock.now();
    const told = this.#toldApart(login, now);
    const group = this.#groups.get(keyOf(told));
    if (group && (group.count > 0 || now < group.until)) this.#count(group, login);
    else this.#begin(told, now);
  }

  /** Records what was counted so far. */
  close(): void {
    this.#flush();
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#groups.clear();
  }

  /** The login without what its record cannot tell. What is throttled was not looked at: there only the address counts. */
  #toldApart(login: FailedLogin, now: number): FailedLogin {
    const told = login.stage === "login-throttled" ? { ...login, user: null } : login;
    if (this.#groups.size < MAX_GROUPS || this.#groups.has(keyOf(told))) return told;
    for (const [key, { until, count }] of this.#groups) {
      if (count === 0 && until <= now) this.#groups.delete(key);
    }
    return this.#groups.size < MAX_GROUPS ? told : { ...told, user: null, address: null };
  }

  #begin(login: FailedLogin, now: number): void {
    this.#groups.set(keyOf(login), { first: login, count: 0, until: now + INTERVAL_MS });
    this.#record(login, 1);
  }

  #count(group: Group, login: FailedLogin): void {
    if (group.count === 0) group.first = { ...group.first, requestId: login.requestId };
    group.count += 1;
    this.#cancelFlush ??= this.#options.clock.schedule(INTERVAL_MS, () => {
      this.#cancelFlush = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const until = this.#options.clock.now() + INTERVAL_MS;
    for (const group of this.#groups.values()) {
      if (group.count === 0) continue;
      this.#record(group.first, group.count);
      group.count = 0;
      group.until = until;
    }
  }

  #record(login: FailedLogin, count: number): void {
    const { trail } = this.#options;
    // Nobody waits for it: whether it was kept is for the listeners of `auditFailure`.
    void trail.keep(trail.loginRecord(login, count), "read");
  }
}

function keyOf({ stage, authentication, user, address }: FailedLogin): string {
  return JSON.stringify([stage, authentication, user, address]);
}

function cut(name: string): string {
  return [...name.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join("");
}

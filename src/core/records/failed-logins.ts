import type { Clock } from "../clock.ts";
import type { FailedLogin, Listeners } from "../events.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { EventLimiter } from "./event-limiter.ts";

const MAX_NAME_LENGTH = 128;

export interface FailedLoginsOptions {
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly listeners: Listeners;
}

/**
 * Records failed logins at a limited rate: the first per user and address immediately, the others of that minute as one record with
 * their number. Listeners are called for each.
 */
export class FailedLogins {
  readonly #options: FailedLoginsOptions;
  readonly #limiter: EventLimiter<FailedLogin>;

  constructor(options: FailedLoginsOptions) {
    this.#options = options;
    this.#limiter = new EventLimiter<FailedLogin>({
      clock: options.clock,
      limit: 1,
      groupOf: ({ stage, authentication, user, address }) => JSON.stringify([stage, authentication, user, address]),
      kindOf: ({ stage }) => stage,
      withoutGroup: (login) => ({ ...login, user: null, address: null }),
      report: (counted) => Promise.all(counted.map(({ first, count }) => this.#record(first, count))),
    });
  }

  add(given: FailedLogin): void {
    const login = { ...given, user: given.user === null ? null : cut(given.user) };
    this.#options.listeners.emit("loginFailed", login);
    // Throttled logins were not checked: only their address counts.
    const single = this.#limiter.pass(login.stage === "login-throttled" ? { ...login, user: null } : login);
    // Not awaited: the listeners of `auditFailure` get failures.
    if (single) void this.#record(single, 1);
  }

  /** Records the pending counts. */
  close(): Promise<void> {
    return this.#limiter.close();
  }

  #record(login: FailedLogin, count: number): Promise<boolean> {
    const { trail } = this.#options;
    return trail.keep(trail.loginRecord(login, count), trail.timeoutMs);
  }
}

function cut(name: string): string {
  return [...name.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join("");
}

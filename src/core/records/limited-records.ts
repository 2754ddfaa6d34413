import type { Call } from "../calls/call.ts";
import type { Clock } from "../clock.ts";
import type { Outcome } from "../errors.ts";
import type { FailedLogin, Listeners } from "../events.ts";
import type { AuditDetails, AuditTrail } from "./audit-trail.ts";
import { type CountedEvents, EventLimiter } from "./event-limiter.ts";
import type { CountedRefusals, Refusal } from "./record.ts";

/** Individually recorded refusals per user and minute. */
const LIMIT = 20;

/** Records refused mutations: a limited number per user individually, the others as counts. */
export class Refusals {
  readonly #trail: AuditTrail;
  readonly #limiter: EventLimiter<Refusal>;

  constructor(trail: AuditTrail, clock: Clock) {
    this.#trail = trail;
    this.#limiter = new EventLimiter<Refusal>({
      clock,
      limit: LIMIT,
      groupOf: ({ user }) => JSON.stringify(user),
      kindOf: ({ stage, operation }) => `${stage} ${operation}`,
      withoutGroup: (refusal) => ({ ...refusal, user: null, address: null }),
      report: (counted) => this.#recordCounted(counted),
    });
  }

  /** Records a refusal; `details` is called only for an individual record. */
  async add(call: Call, stage: Outcome, details: () => AuditDetails): Promise<void> {
    if (!this.#limiter.pass(refusalOf(call, stage))) return;
    await this.#trail.keep(this.#trail.record(call, stage, details()), this.#trail.timeoutOf(call));
  }

  /** Records the pending counts. */
  close(): Promise<void> {
    return this.#limiter.close();
  }

  #recordCounted(counted: readonly CountedEvents<Refusal>[]): Promise<unknown> {
    const records = byStage(counted).map((refusals) => this.#trail.refusalsRecord(refusals));
    return Promise.all(records.map((record) => this.#trail.keep(record, this.#trail.timeoutMs)));
  }
}

function refusalOf({ name, principal, requestId, context }: Call, stage: Outcome): Refusal {
  const { name: user, authentication } = principal;
  return { stage, operation: name, user, authentication, address: context.address ?? null, requestId };
}

function byStage(counted: readonly CountedEvents<Refusal>[]): CountedRefusals[] {
  const stages = new Set(counted.map(({ first }) => first.stage));
  return [...stages].flatMap((stage) => {
    const ofStage = counted.filter(({ first }) => first.stage === stage);
    const first = ofStage[0]?.first;
    if (!first) return [];
    const operations = Object.fromEntries(ofStage.map((events) => [events.first.operation, events.count]));
    return [{ first, count: ofStage.reduce((sum, { count }) => sum + count, 0), operations }];
  });
}

/** Characters of the name of a failed login. */
const MAX_NAME_LENGTH = 128;

/**
 * Records failed logins at a limited rate: the first per user and address immediately, the others of that minute as one record with
 * their number. Listeners are called for each.
 */
export class FailedLogins {
  readonly #trail: AuditTrail;
  readonly #listeners: Listeners;
  readonly #limiter: EventLimiter<FailedLogin>;

  constructor(trail: AuditTrail, clock: Clock, listeners: Listeners) {
    this.#trail = trail;
    this.#listeners = listeners;
    this.#limiter = new EventLimiter<FailedLogin>({
      clock,
      limit: 1,
      groupOf: ({ stage, authentication, user, address }) => JSON.stringify([stage, authentication, user, address]),
      kindOf: ({ stage }) => stage,
      withoutGroup: (login) => ({ ...login, user: null, address: null }),
      report: (counted) => Promise.all(counted.map(({ first, count }) => this.#record(first, count))),
    });
  }

  add(given: FailedLogin): void {
    const login = { ...given, user: given.user === null ? null : cut(given.user) };
    this.#listeners.emit("loginFailed", login);
    // Throttled logins were hardly ever checked: only their address counts.
    const single = this.#limiter.pass(login.stage === "login-throttled" ? { ...login, user: null } : login);
    // Not awaited: the listeners of `auditFailure` get failures.
    if (single) void this.#record(single, 1);
  }

  /** Records the pending counts. */
  close(): Promise<void> {
    return this.#limiter.close();
  }

  #record(login: FailedLogin, count: number): Promise<boolean> {
    return this.#trail.keep(this.#trail.loginRecord(login, count), this.#trail.timeoutMs);
  }
}

function cut(name: string): string {
  return [...name.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join("");
}

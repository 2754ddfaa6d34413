import type { Call } from "../calls/call.ts";
import type { Clock } from "../clock.ts";
import type { Outcome } from "../errors.ts";
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

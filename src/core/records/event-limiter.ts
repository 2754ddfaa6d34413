import type { Clock } from "../clock.ts";

/** How long events beyond the limit are counted before their number is reported. */
const INTERVAL_MS = 60_000;

/** Groups counted separately per interval; further ones are counted together. */
const MAX_GROUPS = 256;

/** Events of one kind that were counted instead of reported individually. */
export interface CountedEvents<E> {
  readonly first: E;
  readonly count: number;
}

export interface EventLimiterOptions<E> {
  readonly clock: Clock;
  /** Reports per group and minute: individual events, and the count of the others. */
  readonly limit: number;
  /** Key by which events are limited. */
  groupOf(event: E): string;
  /** Key by which events of a group are counted; that of the group unless given. */
  kindOf?(event: E): string;
  /** The event without its group, for when there are too many groups. */
  withoutGroup(event: E): E;
  /** Receives the counts of a group for a minute, one per kind; `close` awaits the result. */
  report(counted: readonly CountedEvents<E>[]): unknown;
}

interface Group<E> {
  /** Reports since the interval began. */
  reports: number;
  /** End of the interval. */
  until: number;
  readonly counted: Map<string, { first: E; count: number }>;
}

/** Rate limiter: passes a limited number of events per group and minute and counts the others. */
export class EventLimiter<E> {
  readonly #options: EventLimiterOptions<E>;
  readonly #groups = new Map<string, Group<E>>();
  #cancelFlush: (() => void) | undefined;
  #closed = false;

  constructor(options: EventLimiterOptions<E>) {
    this.#options = options;
  }

  /** Returns the event for an individual report, or undefined if it was only counted. */
  pass(event: E): E | undefined {
    const now = this.#options.clock.now();
    const known = this.#toldApart(event, now);
    const group = this.#group(this.#options.groupOf(known), now);
    if (group.reports < this.#options.limit) {
      group.reports += 1;
      return known;
    }
    this.#count(group, known);
    return undefined;
  }

  /** Reports the pending counts. What is only counted after that is not reported: there may be nowhere to report it. */
  async close(): Promise<void> {
    this.#closed = true;
    const reports = this.#flush();
    this.#groups.clear();
    await Promise.all(reports);
  }

  #toldApart(event: E, now: number): E {
    const { groupOf, withoutGroup } = this.#options;
    if (this.#groups.size < MAX_GROUPS || this.#groups.has(groupOf(event))) return event;
    for (const [key, { until, counted }] of this.#groups) {
      if (counted.size === 0 && until <= now) this.#groups.delete(key);
    }
    return this.#groups.size < MAX_GROUPS ? event : withoutGroup(event);
  }

  #group(key: string, now: number): Group<E> {
    const known = this.#groups.get(key);
    if (known && (known.counted.size > 0 || now < known.until)) return known;
    const begun = { reports: 0, until: now + INTERVAL_MS, counted: new Map() };
    this.#groups.set(key, begun);
    return begun;
  }

  #count({ counted }: Group<E>, event: E): void {
    const { groupOf, kindOf = groupOf } = this.#options;
    const kind = kindOf(event);
    const events = counted.get(kind);
    if (events) events.count += 1;
    else counted.set(kind, { first: event, count: 1 });
    if (!this.#closed) this.#cancelFlush ??= this.#options.clock.schedule(INTERVAL_MS, () => this.#flush());
  }

  #flush(): unknown[] {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const until = this.#options.clock.now() + INTERVAL_MS;
    const reports: unknown[] = [];
    for (const group of this.#groups.values()) {
      if (group.counted.size === 0) continue;
      reports.push(this.#options.report([...group.counted.values()]));
      group.counted.clear();
      // This report is the first of the next minute.
      group.reports = 1;
      group.until = until;
    }
    return reports;
  }
}

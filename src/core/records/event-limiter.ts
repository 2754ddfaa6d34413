import type { Clock } from "../clock.ts";

/** How long events beyond the limit are counted before they are reported together. */
const INTERVAL_MS = 60_000;

/** Groups that are counted separately within an interval; what is beyond is counted together. */
const MAX_GROUPS = 256;

/** Events of one kind that were not reported one by one. */
export interface CountedEvents<E> {
  readonly first: E;
  readonly count: number;
}

/** What an {@link EventLimiter} needs to know of its events. */
export interface EventLimiterOptions<E> {
  readonly clock: Clock;
  /** Reports of one group in a minute: events that are let through, and the count of those that are not. */
  readonly limit: number;
  /** Events with the same text are limited together. */
  groupOf(event: E): string;
  /** Events of a group with the same text are counted together. */
  kindOf(event: E): string;
  /** The event where there are too many groups to count them separately. */
  withoutGroup(event: E): E;
  /** Takes what was counted of a group within a minute, one element for each kind; the result is awaited by `close`. */
  report(counted: readonly CountedEvents<E>[]): unknown;
}

interface Group<E> {
  /** Reports since the interval began. */
  reports: number;
  /** End of the interval. */
  until: number;
  readonly counted: Map<string, { first: E; count: number }>;
}

/** Lets some events of each group through in a minute and counts the others, so that records cannot become a flood. */
export class EventLimiter<E> {
  readonly #options: EventLimiterOptions<E>;
  readonly #groups = new Map<string, Group<E>>();
  #cancelFlush: (() => void) | undefined;

  constructor(options: EventLimiterOptions<E>) {
    this.#options = options;
  }

  /** Returns the event when it is to be reported by itself, and undefined when it was counted. */
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

  /** Reports what was counted so far. */
  async close(): Promise<void> {
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
    const kind = this.#options.kindOf(event);
    const events = counted.get(kind);
    if (events) events.count += 1;
    else counted.set(kind, { first: event, count: 1 });
    this.#cancelFlush ??= this.#options.clock.schedule(INTERVAL_MS, () => this.#flush());
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
      // The report that was just made is the first of the next minute.
      group.reports = 1;
      group.until = until;
    }
    return reports;
  }
}

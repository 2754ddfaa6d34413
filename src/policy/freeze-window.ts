import { type Clock, systemClock } from "../core/clock.ts";
import { CLOCK, ifGiven, objectWith, optionsOf, restrictionLike, textLike } from "../core/options.ts";
import { type Policy, policyMakers } from "../core/policy/policy.ts";
import { didYouMean } from "../core/values/near-names.ts";

/** When changes are refused. */
export interface FreezeOptions {
  /** Each as `Mon-Fri 09:25-09:35`, or `22:00-06:00` for every night. */
  readonly windows: readonly string[];
  /** IANA time zone of the windows, such as `Europe/Berlin`; UTC unless given. */
  readonly timeZone?: string;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
  /** The engine's clock, such as an `EngineClock`: its time counts where this gateway's is known to be off. */
  readonly engineClock?: {
    /** Milliseconds to add to this gateway's time for the engine's; 0 while the two agree. */
    readonly correctionMs: number;
  };
}

const checked = optionsOf<FreezeOptions>("freeze", {
  windows: restrictionLike('["Mon-Fri 09:25-09:35"]'),
  timeZone: ifGiven(textLike('"Europe/Berlin"')),
  clock: ifGiven(CLOCK),
  engineClock: ifGiven(objectWith("correctionMs", "new EngineClock(onEvent)")),
});

/**
 * Allows only stops during the windows, such as the opening auction. Gateways whose clocks differ agree where they know the engine's.
 *
 * @throws TypeError for an invalid window and without any, RangeError for an unknown time zone.
 */
export function freeze(options: FreezeOptions): Policy {
  const { windows, timeZone = "UTC", clock = systemClock, engineClock } = checked(options);
  const parsed = [...windows].map((text) => ({ text, window: windowOf(text) }));
  const wallTime = wallClock(timeZone);
  return ({ lane, operation }) => {
    if (lane === "stop") return undefined;
    const correctionMs = engineClock?.correctionMs ?? 0;
    const now = wallTime(clock.now() + correctionMs);
    const open = parsed.find(({ window }) => isOpen(window, now));
    if (!open) return undefined;
    return `${operation} is refused: only stops pass in the freeze window ${open.text} (${timeZone})${byWhom(correctionMs)}`;
  };
}

/** Names the engine's clock in the reason, where its time differs from the gateway's. */
function byWhom(correctionMs: number): string {
  if (correctionMs === 0) return "";
  const distance = `${(Math.abs(correctionMs) / 1_000).toFixed(1)} s ${correctionMs > 0 ? "behind" : "ahead"}`;
  return `, by the engine's time: this gateway's clock is ${distance}`;
}

function windowOf(text: string): FreezeWindow {
  const window = parseFreezeWindow(text);
  if (!window) throw new TypeError(`Freeze windows must be ${FREEZE_WINDOW_FORMS}, one is ${JSON.stringify(text)}`);
  return window;
}

/** A weekly period, in a time zone. */
interface FreezeWindow {
  /** Days on which it starts, 0 for Sunday. */
  readonly days: ReadonlySet<number>;
  /** Minutes after midnight; a window with an end before its start ends on the next day. */
  readonly from: number;
  readonly to: number;
}

const MINUTES_OF_DAY = 24 * 60;
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const WINDOW = /^(?:([A-Za-z]{3})(?:-([A-Za-z]{3}))? )?([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/** Syntax of windows, for messages. */
export const FREEZE_WINDOW_FORMS = "windows such as `Mon-Fri 09:25-09:35`, `Sat 00:00-24:00` or `22:00-06:00`";

/** Parses `Mon-Fri 09:25-09:35`; without days, every day counts. Undefined for any other text. */
export function parseFreezeWindow(text: string): FreezeWindow | undefined {
  const [, first, last, ...times] = WINDOW.exec(text) ?? [];
  const [fromHour = -1, fromMinute = 0, toHour = 0, toMinute = 0] = times.map(Number);
  const days = daysBetween(first, last);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  return days && fromHour >= 0 && from !== to && to <= MINUTES_OF_DAY ? { days, from, to } : undefined;
}

function daysBetween(first: string | undefined, last = first): ReadonlySet<number> | undefined {
  if (first === undefined || last === undefined) return new Set(DAYS.keys());
  const [from, to] = [dayOf(first), dayOf(last)];
  if (from < 0 || to < 0) return undefined;
  return new Set(Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => (from + index) % 7));
}

function dayOf(name: string): number {
  return DAYS.findIndex((day) => day.toLowerCase() === name.toLowerCase());
}

/** Local time. */
interface WallTime {
  readonly day: number;
  /** After midnight. */
  readonly minute: number;
}

/** Whether a window is open at a time; its end is exclusive. */
function isOpen({ days, from, to }: FreezeWindow, { day, minute }: WallTime): boolean {
  if (from < to) return days.has(day) && minute >= from && minute < to;
  return (days.has(day) && minute >= from) || (days.has((day + 6) % 7) && minute < to);
}

/** Local time in a time zone. */
function wallClock(timeZone: string): (epochMs: number) => WallTime {
  const format = formatIn(timeZone);
  return (epochMs) => {
    const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
    const minute = Number(parts.get("hour")) * 60 + Number(parts.get("minute"));
    return { day: dayOf(parts.get("weekday") ?? ""), minute };
  };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
    });
  } catch (cause) {
    const hint = didYouMean(timeZone, Intl.supportedValuesOf("timeZone"));
    throw new RangeError(`freeze: ${JSON.stringify(timeZone)} is not a time zone${hint}`, { cause });
  }
}

policyMakers(freeze);

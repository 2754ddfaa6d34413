/** A weekly period, in a time zone. */
export interface FreezeWindow {
  /** Days on which it starts, 0 for Sunday. */
  readonly days: ReadonlySet<number>;
  /** Minutes after midnight; a window with an end before its start ends on the next day. */
  readonly from: number;
  readonly to: number;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const WINDOW = /^(?:([A-Za-z]{3})(?:-([A-Za-z]{3}))? )?([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** Syntax of windows, for messages. */
export const FREEZE_WINDOW_FORMS = "windows such as `Mon-Fri 09:25-09:35`, `Sat 08:00-12:00` or `22:00-06:00`";

/** Parses `Mon-Fri 09:25-09:35`; without days, every day counts. Undefined for any other text. */
export function parseFreezeWindow(text: string): FreezeWindow | undefined {
  const [, first, last, ...times] = WINDOW.exec(text) ?? [];
  const [fromHour = -1, fromMinute = 0, toHour = 0, toMinute = 0] = times.map(Number);
  const days = daysBetween(first, last);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  return days && fromHour >= 0 && from !== to ? { days, from, to } : undefined;
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
export interface WallTime {
  readonly day: number;
  /** After midnight. */
  readonly minute: number;
}

/** Whether a window is open at a time; its end is exclusive. */
export function isOpen({ days, from, to }: FreezeWindow, { day, minute }: WallTime): boolean {
  if (from < to) return days.has(day) && minute >= from && minute < to;
  return (days.has(day) && minute >= from) || (days.has((day + 6) % 7) && minute < to);
}

/** Local time in a time zone; throws `RangeError` for an unknown zone. */
export function wallClock(timeZone: string): (epochMs: number) => WallTime {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (epochMs) => {
    const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
    const minute = Number(parts.get("hour")) * 60 + Number(parts.get("minute"));
    return { day: dayOf(parts.get("weekday") ?? ""), minute };
  };
}

import { type Clock, systemClock } from "../core/clock.ts";
import type { Policy } from "../core/policy/policy.ts";
import { FREEZE_WINDOW_FORMS, type FreezeWindow, isOpen, parseFreezeWindow, wallClock } from "./freeze-window.ts";

/** When changes are refused. */
export interface FreezeOptions {
  /** Each as `Mon-Fri 09:25-09:35`, or `22:00-06:00` for every night. */
  readonly windows: readonly string[];
  /** IANA time zone of the windows, such as `Europe/Berlin`; UTC unless given. */
  readonly timeZone?: string;
  readonly clock?: Clock;
}

/**
 * Allows only stops during the windows, such as the opening auction.
 *
 * @throws TypeError for an invalid window, RangeError for an unknown time zone.
 */
export function freeze({ windows, timeZone = "UTC", clock = systemClock }: FreezeOptions): Policy {
  const parsed = windows.map((text) => ({ text, window: windowOf(text) }));
  const wallTime = wallClock(timeZone);
  return ({ lane, operation }) => {
    if (lane === "stop") return undefined;
    const now = wallTime(clock.now());
    const open = parsed.find(({ window }) => isOpen(window, now));
    return open && `${operation} is refused: only stops pass in the freeze window ${open.text} (${timeZone})`;
  };
}

function windowOf(text: string): FreezeWindow {
  const window = parseFreezeWindow(text);
  if (!window) throw new TypeError(`Freeze windows must be ${FREEZE_WINDOW_FORMS}, one is ${JSON.stringify(text)}`);
  return window;
}

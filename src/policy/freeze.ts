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
  /** The engine's clock, such as an `EngineClock`: its time counts where this gateway's is known to be off. */
  readonly engineClock?: {
    /** Milliseconds to add to this gateway's time for the engine's; 0 while the two agree. */
    readonly correctionMs: number;
  };
}

/**
 * Allows only stops during the windows, such as the opening auction. Gateways whose clocks differ agree where they know the engine's.
 *
 * @throws TypeError for an invalid window, RangeError for an unknown time zone.
 */
export function freeze({ windows, timeZone = "UTC", clock = systemClock, engineClock }: FreezeOptions): Policy {
  const parsed = windows.map((text) => ({ text, window: windowOf(text) }));
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

/** Whose time counts, where that is not the gateway's own. */
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

import { EngineClock } from "../../transports/link/engine-clock.ts";

/** The clock of an engine on this machine as a gateway knows it that has heard of it: no read has to find it out. */
export function knownEngineClock(): EngineClock {
  const engineClock = new EngineClock(() => {});
  engineClock.replied(engineClock.moment(), Date.now());
  return engineClock;
}

/** By how much an estimate may be off: half of the longest round trip that is used, and a tick. On a busy machine it is. */
export const OFFSET_ERROR_MS = 501;

/** Seconds with one digit behind the point, as an estimate of so many may be printed; for a regular expression. */
export function aboutSeconds(seconds: number): string {
  const tenths = Array.from({ length: 11 }, (_, index) => seconds * 10 - 5 + index);
  return `(?:${tenths.map((count) => (count / 10).toFixed(1).replace(".", "\\.")).join("|")})`;
}

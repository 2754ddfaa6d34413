import { EngineClock } from "../../transports/link/engine-clock.ts";

/** The clock of an engine on this machine as a gateway knows it that has heard of it: no read has to find it out. */
export function knownEngineClock(): EngineClock {
  const engineClock = new EngineClock(() => {});
  engineClock.replied(engineClock.moment(), Date.now());
  return engineClock;
}

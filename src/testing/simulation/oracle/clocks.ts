import type { Judged } from "./happened.ts";

/** How long a read of the engine's clock that failed is not repeated, with the time for which it was waited for. */
const READ_AGAIN_MS = 5_500;

/** Whether its gateway could not know the clock of the engine that received it. A change waits for a read first, a stop does not. */
export function mayLackArrival(command: Judged): boolean {
  if (command.couldKnowClock) return false;
  const isRefused = isOfFormerLife(command) && command.receipt?.reply === "unavailable";
  return command.isStop || isRefused || couldNotRead(command);
}

/** Whether it is a change for an engine that has ended since, as far as its gateway could know. */
export function isOfFormerLife({ isStop, couldKnowClock, facts: { knownLife } }: Judged): boolean {
  return !isStop && knownLife !== undefined && !couldKnowClock;
}

/** Whether the engine could not be read, or not a moment ago. */
function couldNotRead(command: Judged): boolean {
  return (
    command.met(["reads down", "reads frozen", "paused"], READ_AGAIN_MS) ||
    command.engineMet(["dead", "paused", "engine trouble"], READ_AGAIN_MS)
  );
}

import type { Judged } from "./happened.ts";

/** How long a read of the engine's clock that failed is not repeated, with the time for which it was waited for. */
const READ_AGAIN_MS = 5_500;

/** Whether its gateway could not know the clock of the engine that received it. A change waits for a read first, a stop does not. */
export function mayLackArrival(command: Judged): boolean {
  return !command.couldKnowClock && (command.isStop || couldNotRead(command));
}

/** Whether the engine could not be read, or not a moment ago. */
function couldNotRead(command: Judged): boolean {
  return (
    command.met(["reads down", "reads frozen", "paused"], READ_AGAIN_MS) ||
    command.engineMet(["dead", "paused", "engine trouble"], READ_AGAIN_MS)
  );
}

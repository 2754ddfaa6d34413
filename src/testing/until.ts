import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { isThenable } from "../core/values/basics.ts";
import type { ManualClock } from "./manual-clock.ts";

/** Turns of the event loop in which the clock stands, so that what needs no time is not overtaken by it. */
const TURNS_WITHOUT_TIME = 50;
/** How far the clock goes in each turn after that, and in all. */
const STEP_MS = 25;
const LIMIT_MS = 60_000;

/**
 * Lets the program run, and the held clock go on in small steps, until a condition holds; returns what it gave. Throws after a
 * minute of the held time.
 */
export async function until<T>(clock: ManualClock, condition: () => T | Promise<T>): Promise<T> {
  const end = clock.now() + LIMIT_MS;
  for (let turns = 0; clock.now() < end; turns += 1) {
    const value = await settled(clock, condition, end);
    if (value) return value;
    await oneTurn(clock, turns);
  }
  throw new Error(`until: after ${LIMIT_MS / 1000} s of the held clock this does not hold: ${condition}`);
}

/** The value of a condition that may itself wait for the clock. */
async function settled<T>(clock: ManualClock, condition: () => T | Promise<T>, end: number): Promise<T | undefined> {
  const asked = condition();
  if (!isThenable(asked)) return asked;
  let isSettled = false;
  const mark = (): void => {
    isSettled = true;
  };
  asked.then(mark, mark);
  for (let turns = 0; !isSettled && clock.now() < end; turns += 1) await oneTurn(clock, turns);
  return isSettled ? asked : undefined;
}

async function oneTurn(clock: ManualClock, turns: number): Promise<void> {
  if (turns < TURNS_WITHOUT_TIME) return turn();
  // A transport with sockets needs time of this machine.
  await pause(1);
  clock.advance(STEP_MS);
}

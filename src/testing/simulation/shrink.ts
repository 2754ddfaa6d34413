import type { Plan, PlannedEvent } from "./plan.ts";

/** Histories that are tried for one that is shorter. */
const MAX_TRIALS = 200;

/** Leaves out of a history what it does not need to fail: halves first, then quarters, down to single events. */
export async function shrunk(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let shortest = plan;
  let trials = 0;
  for (let size = Math.ceil(plan.events.length / 2); size >= 1; ) {
    const shorter = candidates(shortest, size);
    let found: Plan | undefined;
    for (const candidate of shorter) {
      if (trials >= MAX_TRIALS) return shortest;
      trials += 1;
      if (!(await fails(candidate))) continue;
      found = candidate;
      break;
    }
    if (found) shortest = found;
    else size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return shortest;
}

function candidates(plan: Plan, size: number): Plan[] {
  const { events } = plan;
  const starts = Array.from({ length: Math.ceil(events.length / size) }, (_, index) => index * size);
  return starts.map((start) => ({ ...plan, events: without(events, start, size) }));
}

function without(events: readonly PlannedEvent[], start: number, size: number): PlannedEvent[] {
  return events.filter((_, index) => index < start || index >= start + size);
}

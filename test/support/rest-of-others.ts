import type { Gate } from "../../src/core/load/gate.ts";
import type { ManualClock } from "../../src/testing/manual-clock.ts";

/** Something whose work a gate schedules. */
interface Gated {
  readonly api: { readonly gate: Gate };
  readonly clock: ManualClock;
}

/** Lets all work but stops rest until the returned function is called. */
export async function restOfOthers({ api: { gate }, clock }: Gated): Promise<() => void> {
  const stopEnds = gate.announceStop("chief");
  gate.schedule("busy", "other", () => clock.advance(15));
  // It begins with the next turn.
  await gate.endOfTurn();
  return () => {
    // The turn begins after the time has passed, so that stops have theirs in it.
    clock.advance(50);
    stopEnds();
  };
}

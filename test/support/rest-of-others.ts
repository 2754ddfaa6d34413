import type { TestRig } from "../../src/testing/rig.ts";

/** Lets all work but stops rest until the returned function is called. */
export async function restOfOthers({ api: { gate }, clock }: Pick<TestRig, "api" | "clock">): Promise<() => void> {
  const stopEnds = gate.beginStop("chief");
  gate.run("busy", "other", () => clock.advance(15));
  // It begins with the next turn.
  await gate.endOfTurn();
  return () => {
    // The turn begins after the time has passed, so that stops have theirs in it.
    clock.advance(50);
    stopEnds();
  };
}

import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { startTestRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";

/** A held clock whose time of day somebody sets, which changes no duration. */
class SetClock extends ManualClock {
  #setByMs = 0;

  override now(): number {
    return super.now() + this.#setByMs;
  }

  set(byMs: number): void {
    this.#setByMs += byMs;
  }
}

const STEPS_MS = [60_000, -60_000];

describe("D-ENG 15: a machine whose clock is set loses no command and waits no longer", () => {
  it.each(STEPS_MS)("a change that the policy thinks about meanwhile is sent and applied (%d ms)", async (stepMs) => {
    const { rig, clock } = await start({
      authorize: async () => {
        clock.set(stepMs);
        return undefined;
      },
    });
    await rig.as("chief").resumeTrading({ reason: "all clear" });
    expect(rig.audit.stages).toEqual(["intent", "applied"]);
  });

  it.each(STEPS_MS)("a change after it is sent and applied (%d ms)", async (stepMs) => {
    const { rig, clock } = await start();
    clock.set(stepMs);
    await rig.as("chief").resumeTrading({ reason: "all clear" });
    await rig.as("chief").haltTrading({ reason: "drill" });
    expect(rig.audit.stages).toEqual(["intent", "applied", "intent", "applied"]);
  });

  it.each(STEPS_MS)(
    "whoever waits for a reply meanwhile waits 10 seconds, neither more nor less (%d ms)",
    async (stepMs) => {
      const { rig, clock } = await start();
      rig.gate.hold();
      let problem: unknown;
      const waiting = rig.as("chief").haltTrading({ reason: "drill" });
      waiting.catch((error: unknown) => {
        problem = error;
      });
      await rig.until(() => rig.received().length >= 1, { stepMs: 0 });
      clock.set(stepMs);
      clock.advance(9_999);
      await rig.until(() => true, { stepMs: 0 });
      expect(problem).toBeUndefined();
      clock.advance(1);
      await expect(waiting).rejects.toMatchObject({ code: "ENGINE_TIMEOUT" });
      rig.gate.release();
    },
  );
});

async function start(options: TestRigOptions = {}): Promise<{ rig: TestRig; clock: SetClock }> {
  const clock = new SetClock();
  return { rig: await startTestRig({ ...options, clock }), clock };
}

import { describe, expect, it } from "vitest";
import { LateReplies } from "../../src/core/engine/late-replies.ts";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

describe("D-ENG 10: late replies are waited for within bounds", () => {
  it("and of 1,001 mutations the oldest is given up, and no timer is left when the others have their replies", async () => {
    const clock = new ManualClock();
    const answers = new LateReplies(clock);
    const abandoned: number[] = [];
    const late: number[] = [];
    let answer: (reply: EngineReply) => void = () => {};
    const reply = new Promise<EngineReply>((resolve) => (answer = resolve));
    for (let index = 0; index <= 1_000; index += 1) {
      answers.await({ reply, abandon: () => abandoned.push(index) }, reply, () => late.push(index));
    }
    expect(abandoned).toEqual([0]);
    answer({ ok: true, result: null });
    await reply;
    expect(late).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    expect(clock.pending).toBe(0);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReadLimit } from "../../src/core/read-limit.ts";

describe("issue 5.2: as many reads are under way as can be coped with", () => {
  it("begins with a few, and each answer allows one more, up to the capacity", () => {
    const limit = new ReadLimit();
    expect([limit.current(256), limit.current(7)]).toEqual([16, 7]);
    for (let answer = 0; answer < 1_000; answer += 1) limit.answered(256);
    expect(limit.current(256)).toBe(256);
  });

  it("congestion halves the limit, once in a while", () => {
    const limit = new ReadLimit();
    limit.congested(1_000);
    expect(limit.current(256)).toBe(8);
    limit.congested(1_099);
    expect(limit.current(256)).toBe(8);
    limit.congested(1_100);
    expect(limit.current(256)).toBe(4);
  });

  it("some reads always get through, and never more than configured", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(400), fc.boolean())), fc.integer({ min: 4, max: 64 }), (steps, most) => {
        const limit = new ReadLimit();
        let now = 0;
        for (const [passed, isCongested] of steps) {
          now += passed;
          if (isCongested) limit.congested(now);
          else limit.answered(most);
          expect(limit.current(most)).toBeGreaterThanOrEqual(4);
          expect(limit.current(most)).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});

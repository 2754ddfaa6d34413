import fc from "fast-check";
import { expect, test } from "vitest";
import { RecentMap } from "../../src/auth/recent-map.ts";

/** The same with nothing but a `Map`. */
class PlainRecentMap extends Map<string, number> {
  override set(key: string, value: number): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (oldest !== undefined && this.size > 4) this.delete(oldest);
    return this;
  }
}

type Step = { set: string; value: number } | { remove: string } | "clear";

function perform(step: Step, target: RecentMap<number> | PlainRecentMap): void {
  if (step === "clear") target.clear();
  else if ("set" in step) target.set(step.set, step.value);
  else target.delete(step.remove);
}

test("bounded memory: keeps what was set last, whatever is set and deleted", () => {
  const key = fc.constantFrom(..."abcdefgh");
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ set: key, value: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ remove: key }) },
    { weight: 1, arbitrary: fc.constant("clear" as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const map = new RecentMap<number>(4);
      const model = new PlainRecentMap();
      for (const done of steps) {
        for (const target of [map, model]) perform(done, target);
        expect(map.size).toBe(model.size);
        for (const name of "abcdefgh") expect(map.get(name)).toBe(model.get(name));
      }
    }),
    { numRuns: 1_000 },
  );
});

import { describe, expect, it } from "vitest";
import { ConditionalChanges } from "../../src/core/calls/conditional-changes.ts";
import { operations } from "../../src/core/operations/table.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const UPDATE = { name: "updateRiskTable", operation: operations.updateRiskTable } as unknown as Parameters<
  ConditionalChanges["begin"]
>[0];

describe("D-HTTP 38: of two changes on the same state, the second conditional one is refused", () => {
  it.each([
    ["Account/Symbol", "Account/Symbol", true],
    ["Account/Symbol", "Symbol/Account", true],
    ["Account", "Account/Symbol", false],
    ["", "Account", false],
  ])("%j and %j are the same state: %s", (first, second, isSame) => {
    const changes = new ConditionalChanges(new ManualClock());
    const [one, other] = [first, second].map((projection) => changes.begin(UPDATE, { projection }));
    changes.send(one, true);
    const send = (): void => changes.send(other, true);
    if (isSame) expect(send).toThrow("Another change of the state that If-Match names came in between");
    else expect(send).not.toThrow();
    changes.end(one);
    changes.end(other);
    const later = changes.begin(UPDATE, { projection: second });
    expect(() => changes.send(later, true)).not.toThrow();
  });

  it("one of unknown outcome is in progress until its late reply, or for a minute: it may take effect yet", () => {
    const clock = new ManualClock();
    const changes = new ConditionalChanges(clock);
    const begin = () => changes.begin(UPDATE, { projection: "Account" });
    const isRefused = (): boolean => {
      const change = begin();
      try {
        changes.send(change, true);
        return false;
      } catch {
        return true;
      } finally {
        changes.end(change);
      }
    };
    for (const settle of [(one: ReturnType<typeof begin>) => changes.end(one), () => clock.advance(1_000)]) {
      const doubted = begin();
      changes.send(doubted, false);
      changes.doubt(doubted);
      clock.advance(59_000);
      expect(isRefused()).toBe(true);
      settle(doubted);
      expect(isRefused()).toBe(false);
    }
  });
});

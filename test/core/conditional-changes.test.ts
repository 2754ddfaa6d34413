import { describe, expect, it } from "vitest";
import { ConditionalChanges } from "../../src/core/calls/conditional-changes.ts";
import { operations } from "../../src/core/operations/table.ts";

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
    const changes = new ConditionalChanges();
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
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longList } from "../../src/core/long-list.ts";
import { encodeInSteps } from "../../src/http/large-answers.ts";

const rowCount = fc.integer({ min: 501, max: 1_700 });
const cell = fc.oneof(fc.string({ unit: "binary" }), fc.constant(null), fc.integer(), fc.constant('"rows":[]'));

function encoded(value: unknown): string {
  const list = longList(value);
  if (!list) throw new Error("not long");
  const steps = encodeInSteps(list);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return Buffer.concat(step.value).toString("utf8");
}

describe("issue 5.2: a huge answer is encoded in steps, to the same bytes", () => {
  it("of an array of rows", () => {
    fc.assert(
      fc.property(rowCount, fc.array(cell, { minLength: 1, maxLength: 5 }), (count, cells) => {
        const value = Array.from({ length: count }, (_, index) => ({ index, cell: cells[index % cells.length] }));
        expect(encoded(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 30 },
    );
  });

  it("of an object with rows in a field, whatever stands around it", () => {
    const other = fc.dictionary(fc.string(), fc.oneof(cell, fc.constant(undefined), fc.constant([])), { maxKeys: 4 });
    fc.assert(
      fc.property(rowCount, other, other, (count, before, after) => {
        const rows = Array.from({ length: count }, (_, index) => ({ index }));
        const value = { nested: { rows: [] }, ...before, rows, ...after };
        if (value.rows !== rows) return;
        expect(encoded(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 30 },
    );
  });

  it("short answers are left alone", () => {
    for (const value of [null, 1, "x", [], { rows: [] }, Array(500).fill(1), { a: 1, rows: Array(500).fill(1) }]) {
      expect(longList(value)).toBeUndefined();
    }
  });
});

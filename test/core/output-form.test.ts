import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longListIn } from "../../src/core/load/long-list.ts";
import { asJson, asValue, type OutputForm } from "../../src/core/load/output-form.ts";

const rowCount = fc.integer({ min: 251, max: 1_700 });
const cell = fc.oneof(fc.string({ unit: "binary" }), fc.constant(null), fc.integer(), fc.constant('"rows":[]'));

function inParts<T>(form: OutputForm<T>, value: unknown): T {
  const list = longListIn(value);
  if (!list) throw new Error("not long");
  const output = form.inParts(list.field);
  for (const rows of list.parts()) output.add(list.with(rows));
  return output.end();
}

function encoded(value: unknown): string {
  const json = inParts(asJson, value);
  if (typeof json === "string") return json;
  const bytes = Buffer.concat(json.parts);
  expect(json.bytes).toBe(bytes.length);
  expect(inParts(asValue, value)).toEqual(value);
  return bytes.toString("utf8");
}

describe("D-LOAD 2: a large output becomes in parts what it would become as a whole", () => {
  it("if it is an array of rows", () => {
    fc.assert(
      fc.property(rowCount, fc.array(cell, { minLength: 1, maxLength: 5 }), (count, cells) => {
        const value = Array.from({ length: count }, (_, index) => ({ index, cell: cells[index % cells.length] }));
        expect(encoded(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 30 },
    );
  });

  it("if its rows fill the last part, too", () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ index }));
    for (const value of [rows, { rows }]) expect(encoded(value)).toBe(JSON.stringify(value));
  });

  it("if it is an object with rows in a field, whatever stands around it", () => {
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

  it("and a short output is left alone", () => {
    for (const value of [null, 1, "x", [], { rows: [] }, Array(250).fill(1), { a: 1, rows: Array(250).fill(1) }]) {
      expect(longListIn(value)).toBeUndefined();
    }
  });

  it("convention 1: JSON of an output without content is empty", () => {
    expect([asJson.whole(null), asJson.whole({ halted: false })]).toEqual(["", '{"halted":false}']);
  });
});

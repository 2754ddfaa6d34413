import fc from "fast-check";
import type { Limits, LimitTable } from "../../../src/cli/risk/row-changes.ts";
import { type Conditions, rowKey } from "../../../src/core/operations/row-names.ts";

/** A table of the projection `Account` with these rows. */
export function table(...rows: readonly (readonly [Conditions, Limits])[]): LimitTable {
  return { projection: "Account", rows: rows.map(([conditions, limits]) => ({ conditions, limits })) };
}

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,8}$/);
const decimal = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?$/);
const limits = fc.dictionary(name, fc.option(decimal), { minKeys: 1, maxKeys: 3, noNullPrototype: true });

/** Texts that a value of a condition may be, those that YAML and CSV have to quote among them. */
const value = fc.oneof(
  fc.constantFrom("*", "null", "true", "1e3", "a,b", 'say "x"', "x\ny", " blank ", "#x", "=1+1", "EUR/USD", "a: b"),
  fc.string({ minLength: 1, maxLength: 12 }),
);

/** Tables with distinct rows. */
export const tables: fc.Arbitrary<LimitTable> = fc
  .uniqueArray(fc.constantFrom("Account", "Symbol", "Trader"), { maxLength: 3 })
  .chain((keys) =>
    fc.record({
      projection: fc.constant(keys.join("/")),
      rows: fc.uniqueArray(
        fc.record({
          conditions: fc.record(Object.fromEntries(keys.map((key) => [key, value])), { noNullPrototype: true }),
          limits,
        }),
        { selector: ({ conditions }) => rowKey(conditions), minLength: keys.length === 0 ? 1 : 0, maxLength: 6 },
      ),
    }),
  );

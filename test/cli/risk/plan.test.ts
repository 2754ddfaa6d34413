import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differenceOf } from "../../../src/cli/risk/difference.ts";
import { fingerprint, misfit, planOf, type RiskPlan, updateOf } from "../../../src/cli/risk/plan.ts";
import { table, tables } from "./tables.ts";

const GOLD = { Account: "GOLD" };
const LIVE = table([GOLD, { Max: "5", Other: null }], [{ Account: "*" }, { Max: "7" }]);
const WANTED = table([GOLD, { Max: "6" }], [{ Account: "NEW" }, { Max: "1" }]);

function plan(): RiskPlan {
  return planOf(LIVE, differenceOf(LIVE, WANTED));
}

describe("risk apply: a plan fits the table that it was made from, and no other", () => {
  it("such as the same table in another order, with its numbers written in another way", () => {
    const again = table([{ Account: "*" }, { Max: "7.0" }], [GOLD, { Other: null, Max: "5" }]);
    expect(misfit(plan(), again)).toBeUndefined();
  });

  it.each([
    ["another value", table([GOLD, { Max: "5.5", Other: null }], [{ Account: "*" }, { Max: "7" }])],
    [
      "a row more",
      table(...LIVE.rows.map(({ conditions, limits }) => [conditions, limits] as const), [{ Account: "X" }, {}]),
    ],
    ["a row less", table([GOLD, { Max: "5", Other: null }])],
    ["a limit that was lifted", table([GOLD, { Max: null, Other: null }], [{ Account: "*" }, { Max: "7" }])],
  ])("unlike %s: the table has moved", (_, live) => {
    expect(misfit(plan(), live)).toBe("the table has moved since the plan was made");
  });

  it("unlike a plan that was edited after its review", () => {
    const [first, ...rest] = plan().changes;
    const [limit] = first?.limits ?? [];
    if (!first || !limit) throw new Error("the plan has no change");
    for (const edited of [
      { ...limit, to: "500", from: "499" },
      { ...limit, effect: "tighter" as const },
      { ...limit, to: "5" },
      { ...limit, comparedWith: { Account: "*" } },
    ]) {
      const forged = { ...plan(), changes: [{ ...first, limits: [edited] }, ...rest] };
      expect(misfit(forged, LIVE)).toBe("the changes do not lead from this table to another");
    }
  });

  it("nor one with conditions that are not the keys of the projection: another row than was reviewed would be sent", () => {
    const [first] = plan().changes;
    if (!first) throw new Error("the plan has no change");
    const [key = ""] = Object.keys(first.conditions);
    const { [key]: _, ...fewer } = first.conditions;
    for (const conditions of [{ ...first.conditions, Desk: "TEST" }, fewer, {}]) {
      const forged = { ...plan(), changes: [{ ...first, type: "INSERT" as const, conditions }] };
      expect(misfit(forged, LIVE)).toMatch(/^the conditions of .* are not the keys of the projection "/);
    }
  });

  it("and survives being written as JSON and read again", () => {
    fc.assert(
      fc.property(tables, tables, (live, other) => {
        const wanted = {
          ...other,
          projection: live.projection,
          rows: live.projection === other.projection ? other.rows : [],
        };
        const made = planOf(live, differenceOf(live, wanted));
        const read = JSON.parse(JSON.stringify(made)) as RiskPlan;
        expect(misfit(read, live)).toBeUndefined();
        // An engine may list its rows in any order.
        expect(misfit(read, { ...live, rows: live.rows.toReversed() })).toBeUndefined();
      }),
    );
  });

  it("since no two tables of a sample have the same fingerprint unless they are equal", () => {
    fc.assert(
      fc.property(tables, tables, (a, b) => {
        const isEqual =
          a.projection === b.projection &&
          differenceOf(a, b).changes.length === 0 &&
          differenceOf(b, a).changes.length === 0;
        if (!isEqual) expect(fingerprint(a)).not.toBe(fingerprint(b));
      }),
    );
  });
});

describe("risk apply: what is sent", () => {
  it("is one update: only what changes, conditions in the order of the projection, no limits for a deletion", () => {
    const projection = "Account/Symbol";
    const changes = [
      {
        type: "UPDATE",
        conditions: { Symbol: "A", Account: "B" },
        limits: [{ name: "Max", from: "1", to: null, effect: "looser" }],
      },
      {
        type: "DELETE",
        conditions: { Symbol: "A", Account: "C" },
        limits: [{ name: "Max", from: "1", effect: "looser" }],
      },
    ] as const;
    const update = updateOf({ projection, table: "", changes });
    expect(JSON.stringify(update)).toBe(
      '{"projection":"Account/Symbol","commands":[' +
        '{"type":"UPDATE","conditions":{"Account":"B","Symbol":"A"},"limits":{"Max":null}},' +
        '{"type":"DELETE","conditions":{"Account":"C","Symbol":"A"}}]}',
    );
  });
});

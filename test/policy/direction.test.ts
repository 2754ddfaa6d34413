import { describe, expect, it } from "vitest";
import { adjustmentDirection } from "../../src/core/operations/positions.ts";
import { riskDirection } from "../../src/core/operations/risk-direction.ts";
import { operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

const PROJECTION = "Account/Symbol";

type Limits = Readonly<Record<string, string | null>>;
type Row = { readonly conditions: Readonly<Record<string, string>>; readonly limits: Limits };
type Command = Parameters<typeof riskDirection>[0][number];

function row(account: string, symbol: string, limits: Limits): Row {
  return { conditions: { Account: account, Symbol: symbol }, limits };
}

const TABLE: readonly Row[] = [
  row("GOLD", "AAPL", { Max: "100", MinPrice: "5" }),
  row("GOLD", "*", { Max: "200", MinPrice: null }),
  row("SILVER", "MSFT", { Max: "50" }),
];

const CASES: readonly (readonly [string, readonly Command[], string])[] = [
  ["a lower limit", [{ type: "UPDATE", ...row("GOLD", "AAPL", { Max: "99.5" }) }], "tightens"],
  ["a higher limit", [{ type: "UPDATE", ...row("GOLD", "AAPL", { Max: "100.5" }) }], "loosens"],
  ["the same number, written otherwise", [{ type: "UPDATE", ...row("GOLD", "AAPL", { Max: "100.00" }) }], "neutral"],
  ["a limit that becomes unlimited", [{ type: "UPDATE", ...row("GOLD", "AAPL", { Max: null }) }], "loosens"],
  ["a limit where there was none", [{ type: "UPDATE", ...row("GOLD", "*", { MinPrice: "1" }) }], "tightens"],
  ["a higher lower bound", [{ type: "UPDATE", ...row("GOLD", "AAPL", { MinPrice: "6" }) }], "tightens"],
  ["a lower lower bound", [{ type: "UPDATE", ...row("GOLD", "AAPL", { MinPrice: "4" }) }], "loosens"],
  ["one up, one down", [{ type: "UPDATE", ...row("GOLD", "AAPL", { Max: "1", MinPrice: "1" }) }], "loosens"],
  [
    "a row where none held: its orders may have been refused",
    [{ type: "INSERT", ...row("SILVER", "AAPL", { Max: "1" }) }],
    "loosens",
  ],
  [
    "a row stricter than the one it goes before",
    [{ type: "INSERT", ...row("GOLD", "MSFT", { Max: "1" }) }],
    "tightens",
  ],
  [
    "a row roomier than the one it goes before",
    [{ type: "INSERT", ...row("GOLD", "MSFT", { Max: "201" }) }],
    "loosens",
  ],
  ["a row roomier than one it overlaps", [{ type: "INSERT", ...row("*", "MSFT", { Max: "201" }) }], "loosens"],
  ["an upsert of a new row", [{ type: "UPDATE", ...row("GOLD", "MSFT", { Max: "300" }) }], "loosens"],
  ["a deleted row, nothing in its place", [{ type: "DELETE", ...row("SILVER", "MSFT", {}) }], "loosens"],
  ["a deleted row, a roomier one in its place", [{ type: "DELETE", ...row("GOLD", "AAPL", {}) }], "loosens"],
  ["a deleted row that is not there", [{ type: "DELETE", ...row("GOLD", "IBM", {}) }], "neutral"],
  [
    "a row deleted and inserted again with less",
    [
      { type: "DELETE", conditions: { Account: "GOLD", Symbol: "AAPL" } },
      { type: "INSERT", conditions: { Symbol: "AAPL", Account: "GOLD" }, limits: { Max: "10", MinPrice: "5" } },
    ],
    "tightens",
  ],
];

describe("RK7: the direction of a risk update", () => {
  it.each(CASES)("is known: %s", (_name, commands, direction) => {
    expect(riskDirection(commands, TABLE)).toBe(direction);
  });

  it("tightens where a row is deleted whose place a stricter one takes", () => {
    const table = [row("GOLD", "AAPL", { Max: "100" }), row("GOLD", "*", { Max: "10" })];
    const commands = [{ type: "DELETE" as const, conditions: { Account: "GOLD", Symbol: "AAPL" } }];
    expect(riskDirection(commands, table)).toBe("tightens");
  });

  it.each([
    ["a table of 10,000 rows, one of them changed", "UPDATE", "A1", "*", 1, "tightens"],
    ["100 rows that come beside many others, one of which covers them", "INSERT", "A2", "S", 100, "tightens"],
    [
      "1,000 rows that come where each of 10,000 others may hold: too many to look at",
      "INSERT",
      "*",
      "S",
      1_000,
      "loosens",
    ],
  ] as const)("D-LOAD 32: is found at a bounded cost: %s", (_what, type, account, symbol, count, direction) => {
    const table = Array.from({ length: 10_000 }, (_, index) => row(`A${index}`, "*", { Max: "2" }));
    const commands = Array.from({ length: count }, (_, index) => ({
      type,
      ...row(account, symbol === "*" ? symbol : `${symbol}${index}`, { Max: "1" }),
    }));
    const all = account === "*" ? [...table, row("*", "*", { Max: "2" })] : table;
    expect(riskDirection(commands, all)).toBe(direction);
    if (direction === "loosens") expect(riskDirection(commands.slice(0, 1), all)).toBe("tightens");
  });
});

describe("RK7: the direction of an adjustment", () => {
  it.each([
    ["100", { size: "50" }, "loosens"],
    ["100", { size: "0" }, "loosens"],
    ["100", { size: "-150" }, "loosens"],
    ["100", { size: "150" }, "tightens"],
    ["-100", { size: "-150" }, "tightens"],
    ["100", { size: "100.0" }, "neutral"],
    ["100", { size: "-10", relative: true }, "loosens"],
    ["100", { size: "10", relative: true }, "tightens"],
    ["0", { size: "10" }, "tightens"],
    ["0", { size: "0" }, "neutral"],
    // The engine shows the row without its size, which may be any.
    [null, { size: "10" }, "loosens"],
    [null, { size: "0" }, "loosens"],
    [null, { size: "10", relative: true }, "loosens"],
  ] as const)(
    "from %s by %j is %s",
    (size, { relative = false, ...change }: { size: string; relative?: boolean }, direction) => {
      const before = [{ projection: "Symbol[A]", size }];
      const adjustment = { projectionPath: "Symbol[A]", relative, ...change };
      expect(adjustmentDirection(adjustment, before)).toBe(direction);
    },
  );
});

it("RK7: a node without a row has the size 0, so that any other size tightens", () => {
  expect(adjustmentDirection({ projectionPath: "Symbol[A]", relative: false, size: "-5" }, [])).toBe("tightens");
  expect(adjustmentDirection({ projectionPath: "Symbol[A]", relative: true, size: "0" }, [])).toBe("neutral");
});

it("RK7: the direction of an adjustment is that of its own node, whatever else the read shows", () => {
  const before = [
    { projection: "Symbol[B]", size: "10" },
    { projection: "Symbol[A]", size: "100" },
  ];
  const adjustment = { projectionPath: "Symbol[A]", relative: false, size: "50" };
  expect(adjustmentDirection(adjustment, before)).toBe("loosens");
});

it("RK7: the direction of an adjustment is that of its node, whichever order path and reply give the segments", () => {
  const before = [
    { projection: "Account[GOLD]/Symbol[MSFT]", size: "10" },
    { projection: "Account[GOLD]/Symbol[AAPL]", size: "100" },
  ];
  const adjustment = { projectionPath: "Symbol[AAPL]/Account[GOLD]", relative: false, size: "50" };
  expect(adjustmentDirection(adjustment, before)).toBe("loosens");
});

async function directions(rig: TestRig, act: (rig: TestRig) => Promise<unknown>): Promise<unknown[]> {
  await act(rig).catch(() => undefined);
  return rig.audit.records.map(({ direction }) => direction);
}

describe("where a policy is configured, the direction of every command is known", () => {
  it("pin: what is read before is a read of the table, and every change states its direction or what to read", () => {
    for (const name of operationNames) {
      const { lane, before, direction } = operationRecord(operations, name);
      if (before) expect(Object.keys(operations), name).toContain(before.operation);
      if (lane === "change") expect(typeof direction === "string" || before !== undefined, name).toBe(true);
    }
  });

  it("by reading the table once before a risk update, as the user, under the same request id", async () => {
    const rig = await startTestRig({
      policy: ({ direction }) => (direction === "loosens" ? "only tighter" : undefined),
    });
    const { rows } = await rig.as("chief").getRiskTable({ projection: PROJECTION });
    const limited = rows.find(({ limits }) => limits.MaxOrderSize != null);
    if (!limited) throw new Error("the sample installation has no row with MaxOrderSize");
    const before = rig.received().length;
    const update = (size: string) =>
      rig.as("chief", { requestId: "u-1" }).updateRiskTable({
        projection: PROJECTION,
        commands: [{ type: "UPDATE", conditions: limited.conditions, limits: { MaxOrderSize: size } }],
      });
    await update("1");
    expect(
      rig
        .received()
        .slice(before)
        .map(({ method, context }) => [method, context.user, context.requestId]),
    ).toEqual([
      ["getRiskTable", "chief", "u-1"],
      ["updateRiskTable", "chief", "u-1"],
    ]);
    await expect(update("2")).rejects.toThrow("only tighter");
    expect(rig.audit.records.map(({ stage, direction }) => [stage, direction])).toEqual([
      ["intent", "tightens"],
      ["applied", "tightens"],
      ["denied", "loosens"],
    ]);
    const rowWith = (size: string) => ({ ...limited, limits: { ...limited.limits, MaxOrderSize: size } });
    expect(rig.audit.records.map(({ before, after }) => ({ before, after }))).toEqual([
      { before: [limited], after: undefined },
      { before: [limited], after: [rowWith("1")] },
      { before: [rowWith("1")], after: undefined },
    ]);
  });

  it("and D-LOG 17: of a row that was not there its records say so", async () => {
    const rig = await startTestRig({ policy: () => undefined });
    const conditions = { Account: "NEW", Symbol: "BTC/USD" };
    const commands = [{ type: "INSERT" as const, conditions, limits: { MaxOrderSize: "5" } }];
    await rig.as("chief").updateRiskTable({ projection: PROJECTION, commands });
    expect(rig.audit.records[1]).toMatchObject({
      stage: "applied",
      before: [{ conditions, limits: null }],
      after: [{ conditions, limits: { MaxOrderSize: "5" } }],
    });
  });

  it("by reading the position once before an adjustment", async () => {
    const rig = await startTestRig({ policy: () => undefined });
    const adjust = (size: string) =>
      rig.as("chief").adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size });
    await adjust("100");
    await rig.until(async () => {
      const found = await rig.as("chief").listPositions({ projection: PROJECTION, account: "GOLD", symbol: "AAPL" });
      return found[0]?.size === "100";
    });
    const before = rig.received("listPositions").length;
    await adjust("40");
    expect(rig.received("listPositions").slice(before)).toMatchObject([
      { input: { projection: PROJECTION, account: "GOLD", symbol: "AAPL" } },
    ]);
    expect(rig.audit.records.at(-1)).toMatchObject({
      stage: "applied",
      direction: "loosens",
      before: [{ projection: "Account[GOLD]/Symbol[AAPL]", size: "100" }],
    });
  });

  it("and nothing is read without a policy", async () => {
    const rig = await startTestRig();
    await rig.as("chief").adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1" });
    expect(rig.received("listPositions")).toEqual([]);
  });

  it.each([
    [
      "a risk update that sets a limit to null",
      [{ MaxOrderSize: "1" }, { MaxOrderSize: "1", MaxPositionLong: null }],
      "loosens",
    ],
    ["a risk update of numbers alone", [{ MaxOrderSize: "1" }], undefined],
    ["a risk update without limits", [undefined], undefined],
  ] as const)(
    "and without a policy the records of %s have the direction that the commands show",
    async (_what, limits, direction) => {
      const rig = await startTestRig();
      const commands = limits.map((changed) => ({
        type: "UPDATE" as const,
        conditions: { Account: "GOLD", Symbol: "AAPL" },
        ...(changed && { limits: changed }),
      }));
      const act = () => rig.as("chief").updateRiskTable({ projection: PROJECTION, commands });
      expect(await directions(rig, act)).toEqual([direction, direction]);
    },
  );

  it("and the record of an input that is not valid has none", async () => {
    const rig = await startTestRig();
    const act = () => rig.as("chief").updateRiskTable({ projection: PROJECTION, commands: 7 as never });
    expect(await directions(rig, act)).toEqual([undefined]);
  });

  it("and what the engine does not show counts as loosening", async () => {
    const rig = await startTestRig({ policy: () => undefined });
    const act = (rig: TestRig) => rig.as("chief").adjustPosition({ projectionPath: "Account[GOLD]", size: "1" });
    expect(new Set(await directions(rig, act))).toEqual(new Set(["loosens"]));
  });

  it("and what the commands show by themselves is recorded when the table cannot be read", async () => {
    const rig = await startTestRig({ policy: () => undefined });
    rig.faults.add({ operation: "getRiskTable", kind: "unavailable" });
    const commands = [
      { type: "UPDATE" as const, conditions: { Account: "GOLD", Symbol: "AAPL" }, limits: { MaxOrderSize: null } },
    ];
    const act = () => rig.as("chief").updateRiskTable({ projection: PROJECTION, commands });
    expect(await directions(rig, act)).toEqual(["loosens"]);
  });

  it.each([
    ["overload", 429],
    ["unavailable", 503],
    ["garbage", 500],
  ] as const)("unless a read fails (%s), which refuses the change with %i, unsent", async (kind, status) => {
    const rig = await startTestRig({ policy: () => undefined });
    rig.faults.add({ operation: "listPositions", kind });
    const call = rig.as("chief").adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1" });
    await expect(call).rejects.toMatchObject({ status, outcome: "not-sent", cause: expect.any(Error) });
    expect(rig.received("adjustPosition")).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EngineRejection } from "../../src/engine/engine.ts";
import type { RiskCommand } from "../../src/engine/simulated/risk-table.ts";
import { bench, thrown } from "./fixture.ts";

const RISK = `
risk:
  tables:
    "":
      limits: [MaxOrderNotional]
      rows: [{ limits: { MaxOrderNotional: 1000000 } }]
    Account/Symbol:
      limits: [MaxOrderSize, MaxPositionLong]
      rows:
        - { conditions: { Account: GOLD, Symbol: AAPL }, limits: { MaxOrderSize: 10.50 } }
        - { conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: 5, MaxPositionLong: null } }
`;

const TABLE = "Account/Symbol";

function command(
  type: RiskCommand["type"],
  account: string,
  symbol: string,
  limits?: RiskCommand["limits"],
): RiskCommand {
  return { type, conditions: { Account: account, Symbol: symbol }, ...(limits && { limits }) };
}

function rejection(reason: string): EngineRejection {
  return new EngineRejection("rejected", reason);
}

describe("risk tables", () => {
  test("Risk table: rows in their order, every column shown, null is unlimited, numbers keep their text", () => {
    const { engine } = bench(RISK);
    expect(engine.getRiskTable({ projection: TABLE })).toEqual({
      projection: TABLE,
      rows: [
        { conditions: { Account: "GOLD", Symbol: "AAPL" }, limits: { MaxOrderSize: "10.50", MaxPositionLong: null } },
        { conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: "5", MaxPositionLong: null } },
      ],
    });
  });

  test("Risk table: the root table has rows without conditions", () => {
    const { engine } = bench(RISK);
    expect(engine.getRiskTable({ projection: "" }).rows).toEqual([
      { conditions: {}, limits: { MaxOrderNotional: "1000000" } },
    ]);
  });

  test("Risk table: what a caller does to a reply does not reach the table", () => {
    const { engine } = bench(RISK);
    const [row] = engine.getRiskTable({ projection: "" }).rows;
    expect(() => Object.assign(row?.limits ?? {}, { MaxOrderNotional: "1" })).toThrow(TypeError);
    expect(() => Object.assign(row ?? {}, { limits: {} })).toThrow(TypeError);
    engine.getRiskTable({ projection: "" }).rows.pop();
    expect(engine.getRiskTable({ projection: "" }).rows[0]?.limits).toEqual({ MaxOrderNotional: "1000000" });
  });

  test.each(["Account", "Symbol/Account"])("D-ENG 8: %s is not configured and has no table", (projection) => {
    const { engine } = bench(RISK);
    const expected = rejection(`"${projection}" has no risk table; configured are: "", "Account/Symbol"`);
    expect(thrown(() => engine.getRiskTable({ projection }))).toEqual(expected);
    const commands = [command("DELETE", "GOLD", "AAPL")];
    expect(thrown(() => engine.updateRiskTable({ projection, commands }))).toEqual(expected);
  });

  test("Risk update: INSERT adds a row at the end, absent limits are unlimited, the reply is the table afterwards", () => {
    const { engine } = bench(RISK);
    const commands = [command("INSERT", "*", "EUR/USD", { MaxPositionLong: "007.10" })];
    const answer = engine.updateRiskTable({ projection: TABLE, commands });
    expect(answer.rows.at(-1)).toEqual({
      conditions: { Account: "*", Symbol: "EUR/USD" },
      limits: { MaxOrderSize: null, MaxPositionLong: "007.10" },
    });
    expect(answer.rows).toHaveLength(3);
    expect(engine.getRiskTable({ projection: TABLE })).toEqual(answer);
  });

  test("D-ENG 8: INSERT of an existing row is rejected, and names command and row", () => {
    const { engine } = bench(RISK);
    const commands = [command("INSERT", "A", "B"), command("INSERT", "GOLD", "AAPL")];
    expect(thrown(() => engine.updateRiskTable({ projection: TABLE, commands }))).toEqual(
      rejection("commands[1] (INSERT Account[GOLD]/Symbol[AAPL]): the row exists already"),
    );
    expect(engine.getRiskTable({ projection: TABLE }).rows).toHaveLength(2);
  });

  test("D-ENG 8: DELETE of a missing row is rejected", () => {
    const { engine } = bench(RISK);
    const commands = [command("DELETE", "*", "*"), command("DELETE", "*", "*")];
    expect(thrown(() => engine.updateRiskTable({ projection: TABLE, commands }))).toEqual(
      rejection("commands[1] (DELETE Account[*]/Symbol[*]): the row does not exist"),
    );
    expect(engine.getRiskTable({ projection: TABLE }).rows).toHaveLength(2);
  });

  test("Risk command, D-VAL 10: limits of a DELETE are ignored", () => {
    const { engine } = bench(RISK);
    const commands = [command("DELETE", "GOLD", "AAPL", { Whatever: "1" })];
    expect(engine.updateRiskTable({ projection: TABLE, commands }).rows).toHaveLength(1);
  });

  test("D-ENG 8: UPDATE sets the given limits of a row, leaves the others, keeps its place", () => {
    const { engine } = bench(RISK);
    const commands = [command("UPDATE", "GOLD", "AAPL", { MaxPositionLong: "100" })];
    expect(engine.updateRiskTable({ projection: TABLE, commands }).rows[0]).toEqual({
      conditions: { Account: "GOLD", Symbol: "AAPL" },
      limits: { MaxOrderSize: "10.50", MaxPositionLong: "100" },
    });
  });

  test("D-VAL 4: UPDATE with null makes a limit unlimited", () => {
    const { engine } = bench(RISK);
    const commands = [command("UPDATE", "GOLD", "AAPL", { MaxOrderSize: null })];
    expect(engine.updateRiskTable({ projection: TABLE, commands }).rows[0]?.limits.MaxOrderSize).toBeNull();
  });

  test("D-ENG 8: UPDATE inserts a missing row", () => {
    const { engine } = bench(RISK);
    const commands = [command("UPDATE", "SILVER", "AAPL", { MaxOrderSize: "1" })];
    expect(engine.updateRiskTable({ projection: TABLE, commands }).rows[2]).toEqual({
      conditions: { Account: "SILVER", Symbol: "AAPL" },
      limits: { MaxOrderSize: "1", MaxPositionLong: null },
    });
  });

  test("D-ENG 8, D-VAL 4, D-VAL 5: an unknown limit column is rejected, and the columns are named", () => {
    const { engine } = bench(RISK);
    const commands = [command("UPDATE", "GOLD", "AAPL", { MaxLoss: "1" })];
    expect(thrown(() => engine.updateRiskTable({ projection: TABLE, commands }))).toEqual(
      rejection(
        'commands[0] (UPDATE Account[GOLD]/Symbol[AAPL]): risk table "Account/Symbol" has no limit "MaxLoss"; it has MaxOrderSize, MaxPositionLong',
      ),
    );
  });

  test.each<[string, Record<string, string>]>([
    ["a missing key", { Account: "GOLD" }],
    ["a foreign key", { Account: "GOLD", Trader: "asmith" }],
    ["one key too many", { Account: "GOLD", Symbol: "AAPL", Trader: "asmith" }],
  ])("D-VAL 4: conditions with %s are rejected", (_, conditions) => {
    const { engine } = bench(RISK);
    const commands = [{ type: "UPDATE" as const, conditions }];
    expect(() => engine.updateRiskTable({ projection: TABLE, commands })).toThrow(
      "conditions must be given for exactly these keys: Account, Symbol",
    );
  });

  test("Risk update: commands of one request follow one another", () => {
    const { engine } = bench(RISK);
    const commands = [
      command("DELETE", "GOLD", "AAPL"),
      command("INSERT", "GOLD", "AAPL", { MaxOrderSize: "1" }),
      command("UPDATE", "GOLD", "AAPL", { MaxPositionLong: "2" }),
    ];
    expect(engine.updateRiskTable({ projection: TABLE, commands }).rows).toEqual([
      { conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: "5", MaxPositionLong: null } },
      { conditions: { Account: "GOLD", Symbol: "AAPL" }, limits: { MaxOrderSize: "1", MaxPositionLong: "2" } },
    ]);
  });

  test("property, D-ENG 8: an update equals the sequence of its commands, and a rejected one changes nothing", () => {
    const value = fc.constantFrom("*", "A", "B");
    const limits = fc.dictionary(
      fc.constantFrom("MaxOrderSize", "MaxPositionLong", "Bad"),
      fc.constantFrom("1", "2.0", null),
      { maxKeys: 2 },
    );
    const arbitrary: fc.Arbitrary<RiskCommand> = fc.record({
      type: fc.constantFrom("INSERT", "UPDATE", "DELETE"),
      conditions: fc.record({ Account: value, Symbol: value }),
      limits,
    });
    let rejected = 0;
    fc.assert(
      fc.property(fc.array(fc.array(arbitrary, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (updates) => {
        const { engine } = bench(RISK);
        const { engine: single } = bench(RISK);
        for (const commands of updates) {
          const before = engine.getRiskTable({ projection: TABLE });
          if (isRejected(() => engine.updateRiskTable({ projection: TABLE, commands }))) {
            rejected += 1;
            expect(engine.getRiskTable({ projection: TABLE })).toEqual(before);
            continue;
          }
          for (const one of commands) single.updateRiskTable({ projection: TABLE, commands: [one] });
          expect(engine.getRiskTable({ projection: TABLE })).toEqual(single.getRiskTable({ projection: TABLE }));
        }
      }),
    );
    expect(rejected).toBeGreaterThan(0);
  });
});

function isRejected(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(EngineRejection);
    return true;
  }
}

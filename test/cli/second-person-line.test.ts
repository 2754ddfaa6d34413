import { expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import { secondPersonLine, secondPersonLines } from "../../src/cli/operations/advice.ts";
import type { OperationInput } from "../../src/cli/operations/input.ts";

const UPDATE = { type: "UPDATE", conditions: { Account: "PENSION" }, limits: { MaxOrderSize: "500" } };

function enabling(...sessions: readonly string[]): string[] {
  return secondPersonLines(
    COMMANDS,
    sessions.map((session) => ({ operation: "enableFixSession", input: { gateway: "OE1", session } })),
  );
}

function lineFor(input: OperationInput): string | undefined {
  return secondPersonLine(COMMANDS, "updateRiskTable", input);
}

it("D-UAC 23: names of one line are on one line for the second person, with -- before those like options", () => {
  expect(enabling()).toEqual([]);
  expect(enabling("A")).toEqual(["trading-admin fix enable OE1 A"]);
  expect(enabling("A", "B'S")).toEqual(["trading-admin fix enable OE1 A 'B'\\''S'"]);
  expect(enabling("A", "-B")).toEqual(["trading-admin fix enable -- OE1 A -B"]);
});

it("D-UAC 23: a name that nobody types, or more than one types, keeps no other from its line", () => {
  expect(enabling("A", "B\0", "C")).toEqual(["trading-admin fix enable OE1 A", "trading-admin fix enable OE1 C"]);
  const names = Array.from({ length: 60 }, (_, at) => `A-SESSION-WITH-A-LONG-NAME-${at}`);
  const lines = enabling(...names);
  expect(lines).toHaveLength(2);
  expect(lines.flatMap((line) => line.split(" ").slice(4))).toEqual(names);
});

it("D-UAC 23: the second person types limits of one row as risk set takes them", () => {
  const limits = { MaxOrderSize: "500", MaxPositionLong: null };
  const commands = [{ type: "UPDATE", conditions: { Symbol: "EUR/USD", Account: "*" }, limits }];
  expect(lineFor({ projection: "Account/Symbol", commands })).toBe(
    "trading-admin risk set 'Account[*]/Symbol[EUR/USD]' MaxOrderSize=500 MaxPositionLong=unlimited",
  );
});

it.each([
  ["two rows", { projection: "Account", commands: [UPDATE, { ...UPDATE, conditions: { Account: "GOLD" } }] }],
  ["a row that is deleted", { projection: "Account", commands: [{ type: "DELETE", conditions: UPDATE.conditions }] }],
  ["a row that is inserted", { projection: "Account", commands: [{ ...UPDATE, type: "INSERT" }] }],
  ["no limits", { projection: "Account", commands: [{ ...UPDATE, limits: {} }] }],
  ["a limit that is not a text", { projection: "Account", commands: [{ ...UPDATE, limits: { MaxOrderSize: 500 } }] }],
  ["a value that no path has", { projection: "Account", commands: [{ ...UPDATE, conditions: { Account: "A]/B" } }] }],
  ["no commands", { projection: "Account", commands: [] }],
])("D-UAC 23: the second person types risk update for %s, which risk set does not send", (_, input) => {
  expect(lineFor(input)).toMatch(/^trading-admin risk update Account --commands '/);
});

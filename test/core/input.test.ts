import { describe, expect, it } from "vitest";
import type { OperationName } from "../../src/core/operations/table.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { STANDARD_PROJECTION_KEYS } from "../../src/core/values/projection.ts";
import { startTestRig, type TestRigOptions } from "../../src/testing/rig.ts";
import { unknownKey } from "../support/unknown-key.ts";

const chief = principal("chief", PERMISSIONS);

/** What the engine is sent for an input. */
async function sent(name: OperationName, input: unknown, options?: TestRigOptions): Promise<unknown> {
  const rig = await startTestRig(options);
  await rig.api.call(name, input as never, chief);
  return rig.gate.seen[0]?.input;
}

/** The message of a 400. */
async function refusal(name: OperationName, input: unknown, options?: TestRigOptions): Promise<string> {
  const rig = await startTestRig(options);
  const error = await rig.api.call(name, input as never, chief).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "BAD_REQUEST", status: 400 });
  expect(rig.gate.seen).toEqual([]);
  return (error as Error).message;
}

const CONDITIONS = { Account: "GOLD", Symbol: "BTC/USD" };

const update = (command: object): unknown => ({ projection: "Account/Symbol", commands: [command] });

describe("an input", () => {
  it.each([undefined, null, 7, "text", [], [{}]])("is an object with fields, and not %j", async (input) => {
    expect(await refusal("haltTrading", input)).toBe("The request body must be a JSON object");
  });

  it.each([
    ["updateRiskTable", { projection: "Account/Symbol", commands: {} }, "commands: must be an array of commands"],
    ["updateRiskTable", { projection: "Account/Symbol", commands: 7 }, "commands: must be an array of commands"],
    [
      "updateRiskTable",
      update({ type: "DELETE", conditions: [] }),
      "commands[0].conditions: must be an object of strings",
    ],
    [
      "updateRiskTable",
      update({ type: "DELETE", conditions: null }),
      "commands[0].conditions: must be an object of strings",
    ],
    ["updateRiskTable", { projection: "Account", commands: [null] }, "commands[0]: must be an object"],
    ["updateRiskTable", { projection: "Account", commands: [[]] }, "commands[0]: must be an object"],
    ["updateRiskTable", { projection: "", commands: [] }, "commands: must hold at least one command"],
    ["haltTrading", { reason: {} }, "reason: must be a string"],
    ["haltTrading", { reason: [] }, "reason: must be a string"],
  ] as const)("has fields of the right kind: %s %j", async (name, input, message) => {
    expect(await refusal(name, input)).toBe(message);
  });

  it("D-HTTP 7: has all its faults named in one go, those that are missing too", async () => {
    const input = { projection: "Account/Nowhere", commands: [{ type: "UPSERT", conditions: CONDITIONS, x: 1 }], y: 1 };
    expect((await refusal("updateRiskTable", input)).split("; ")).toEqual([
      `projection: ${unknownKey("Nowhere")}`,
      "commands[0].type: must be one of INSERT, UPDATE, DELETE",
      "commands[0].x: unknown field",
      "y: unknown field",
    ]);
    expect((await refusal("adjustPosition", {})).split("; ")).toEqual([
      "projectionPath: is required",
      "size: is required",
    ]);
    expect((await refusal("updateRiskTable", update({}))).split("; ")).toEqual([
      "commands[0].type: is required",
      "commands[0].conditions: is required",
    ]);
  });
});

describe("D-HTTP 18: an optional field that is null counts as omitted", () => {
  it("whether it has a default or not, in a list as well", async () => {
    const whole = { projectionPath: "", reason: "Trading halted", cancelOrders: false };
    expect(await sent("haltTrading", { projectionPath: null, reason: null, cancelOrders: null })).toStrictEqual(whole);
    const adjustment = { projectionPath: "Account[GOLD]/Symbol[BTC/USD]", size: "1" };
    expect(await sent("adjustPosition", { ...adjustment, relative: null, averageCost: null })).toStrictEqual({
      ...adjustment,
      relative: false,
    });
    const command = { type: "UPDATE", conditions: CONDITIONS };
    expect(await sent("updateRiskTable", update({ ...command, limits: null }))).toStrictEqual(update(command));
  });

  it("while a required one is still wrong, and a limit that is null is unlimited", async () => {
    expect(await refusal("disableService", { name: null })).toBe("name: must be a string");
    const command = { type: "UPDATE", conditions: CONDITIONS, limits: { MaxOrderSize: null } };
    expect(await sent("updateRiskTable", update(command))).toStrictEqual(update(command));
  });
});

describe("D-HTTP 6: unknown fields", () => {
  it.each(["unknown", "constructor", "__proto__", "toString"])("are refused by name: %s", async (name) => {
    const input = Object.fromEntries([[name, null]]);
    expect(await refusal("haltTrading", input)).toBe(`${name}: unknown field`);
  });

  it("are left out where the host ignores them, at any depth, and no field is added that was not sent", async () => {
    const options = { unknownFields: "ignore" } as const;
    const command = { type: "UPDATE", conditions: CONDITIONS };
    expect(await sent("updateRiskTable", { ...(update({ ...command, x: 1 }) as object), y: 1 }, options)).toStrictEqual(
      update(command),
    );
    expect(await sent("listPositions", { projection: "Account/Symbol", y: null }, options)).toStrictEqual({
      projection: "Account/Symbol",
    });
  });
});

describe("D-VAL 10: limits of a DELETE command are ignored", () => {
  it.each([{ MaxOrderSize: "1" }, { MaxOrderSize: 1 }, "none", 7])("valid or not: %j", async (limits) => {
    const rig = await startTestRig();
    const { rows } = await rig.as("chief").getRiskTable({ projection: "Account/Symbol" });
    const command = { type: "DELETE", conditions: rows[0]?.conditions };
    await rig.as("chief").updateRiskTable(update({ ...command, limits }) as never);
    expect(rig.gate.seen.at(-1)?.input).toStrictEqual(update(command));
  });
});

describe("D-VAL 2: projection keys of an installation", () => {
  const desk = { projection: "Desk", desk: "D1" };

  it("are filters and fields of positions, and no others are", async () => {
    const rig = await startTestRig({ projectionKeys: ["Desk"] });
    const position = { projection: "Desk[D1]", desk: "D1", size: "1" };
    const rest = ["averageCost", "realizedPnL", "unrealizedPnL", "marketValue", "totalCommission", "openBuySize"];
    const amounts = Object.fromEntries([...rest, "openSellSize"].map((name) => [name, null]));
    rig.gate.replyWith(() => ({ ok: true, result: [{ ...position, ...amounts }] }));
    expect(await rig.api.call("listPositions", desk as never, chief)).toEqual([{ ...position, ...amounts }]);
    expect(rig.gate.seen[0]?.input).toEqual(desk);
    expect(await refusal("listPositions", { projection: "Account", desk: "D1" })).toBe("desk: unknown field");
  });
});

describe("D-VAL 4: conditions have exactly the keys of the projection", () => {
  const withKeys = (keys: readonly string[], named: readonly string[]): unknown => {
    const conditions = Object.fromEntries(named.map((key) => [key, "*"]));
    return { projection: keys.join("/"), commands: [{ type: "UPDATE", conditions }] };
  };

  it("none at the root", async () => {
    const message = 'commands[0].conditions: projection key "Account" is not part of the projection';
    expect(await refusal("updateRiskTable", withKeys([], ["Account"]))).toBe(message);
  });

  it("all of them where the projection has all", async () => {
    const [missing, ...named] = STANDARD_PROJECTION_KEYS;
    const message = `commands[0].conditions: projection key "${missing}" is missing`;
    expect(await refusal("updateRiskTable", withKeys(STANDARD_PROJECTION_KEYS, named))).toBe(message);
  });
});

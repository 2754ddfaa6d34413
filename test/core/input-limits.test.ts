import { describe, expect, it } from "vitest";
import type { OperationName } from "../../src/core/operations/table.ts";
import { startTestRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";

async function refused(name: OperationName, input: unknown, options?: TestRigOptions | TestRig): Promise<string> {
  const rig = options && "api" in options ? options : await startTestRig(options);
  const call = rig.as("chief")[name](input as never);
  const error = await call.then(
    () => ({ status: 200, message: "" }),
    (thrown: { status: number; message: string }) => thrown,
  );
  expect({ status: error.status, sent: rig.gate.seen.length }).toEqual({ status: 400, sent: 0 });
  return error.message;
}

function commands(count: number, more: object = {}): unknown[] {
  const conditions = { Account: "GOLD", Symbol: "BTC/USD" };
  return Array.from({ length: count }, () => ({ type: "UPDATE", conditions, limits: { MaxOrderSize: "1" }, ...more }));
}

function fields(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, value]));
}

const update = (count: number, more?: object): unknown => ({
  projection: "Account/Symbol",
  commands: commands(count, more),
});

const LONG = "😀".repeat(1_025);

describe("D-LOAD 3: free text has at most 1,024 characters", () => {
  const tooLong = "must be at most 1,024 characters long";

  it.each([
    ["haltTrading", { reason: LONG }, "reason"],
    ["haltTrading", { projectionPath: `Account[${LONG}]` }, "projectionPath"],
    ["getTradingStatus", { projectionPath: `Account[${LONG}]` }, "projectionPath"],
    ["disableService", { name: LONG }, "name"],
    ["disconnectFixSession", { gateway: "OE1", session: LONG }, "session"],
    ["getRiskTable", { projection: LONG }, "projection"],
    ["listPositions", { projection: "Account/Symbol", userData: LONG }, "userData"],
    [
      "updateRiskTable",
      update(1, { conditions: { Account: LONG, Symbol: "BTC/USD" } }),
      "commands[0].conditions.Account",
    ],
  ] as const)("in %s: %#", async (name, input, field) => {
    expect(await refused(name, input)).toBe(`${field}: ${tooLong}`);
  });

  it("counted as JSON Schema does, and exactly that many are accepted", async () => {
    const rig = await startTestRig();
    const reason = "😀".repeat(1_024);
    await rig.as("chief").haltTrading({ reason });
    expect(rig.gate.seen[0]?.input).toMatchObject({ reason });
  });

  it("and so have names of limits", async () => {
    const message = await refused("updateRiskTable", update(1, { limits: { ["x".repeat(2_000)]: "1" } }));
    expect(message).toMatch(/^commands\[0\]\.limits\.x{256}\.\.\.: invalid name$/);
  });
});

describe("D-LOAD 3: a risk update has at most 1,000 commands, or as many as is set", () => {
  it("so that 1,000 are accepted and 1,001 refused", async () => {
    const rig = await startTestRig();
    await rig.as("chief").updateRiskTable(update(1_000) as never);
    expect(await refused("updateRiskTable", update(1_001))).toBe(
      "commands: must have at most 1,000 elements, has 1,001",
    );
  });

  it("as many as the host configures", async () => {
    expect(await refused("updateRiskTable", update(3), { maxRiskCommands: 2 })).toContain("at most 2 elements, has 3");
    const rig = await startTestRig({ maxRiskCommands: 1_500 });
    await rig.as("chief").updateRiskTable(update(1_500) as never);
  });

  it("of any number if the host configures no limit", async () => {
    const rig = await startTestRig({ maxRiskCommands: Number.POSITIVE_INFINITY });
    await rig.as("chief").updateRiskTable(update(1_001) as never);
  });

  it("which is the only fault that is named then, whatever its commands are", async () => {
    expect(await refused("updateRiskTable", update(1_001, { x: 1 }))).toBe(
      "commands: must have at most 1,000 elements, has 1,001",
    );
  });

  it("and conditions and limits have at most 64 entries", async () => {
    const limits = fields(65, "1");
    expect(await refused("updateRiskTable", update(1, { limits }))).toBe(
      "commands[0].limits: must have at most 64 elements, has 65",
    );
    expect(await refused("updateRiskTable", update(1, { conditions: limits }))).toBe(
      "commands[0].conditions: must have at most 64 elements, has 65",
    );
  });
});

describe("D-LOAD 31: the commands of a risk update have at most 4,000 limits in all", () => {
  const each = (count: number, limits: number) => update(count, { limits: fields(limits, "1") });
  const accepted = async (input: unknown, options?: TestRigOptions): Promise<void> => {
    const rig = await startTestRig(options);
    rig.gate.replyWith(() => ({ ok: true, result: { projection: "Account/Symbol", rows: [] } }));
    await rig.as("chief").updateRiskTable(input as never);
    expect(rig.gate.seen).toHaveLength(1);
  };
  const refusal = (most: string, has: string): string =>
    `commands: must have at most ${most} limits in all, has ${has}`;

  it("so that 4,000 are accepted and more refused with both numbers, however they are distributed", async () => {
    await accepted(each(1_000, 4));
    await accepted(each(80, 50));
    expect(await refused("updateRiskTable", each(81, 50))).toBe(refusal("4,000", "4,050"));
    expect(await refused("updateRiskTable", each(1_000, 64))).toBe(refusal("4,000", "64,000"));
  });

  it("those of a DELETE included, which are ignored, and beside other bounds that are exceeded", async () => {
    expect(await refused("updateRiskTable", update(1_000, { type: "DELETE", limits: fields(5, "1") }))).toBe(
      refusal("4,000", "5,000"),
    );
    expect(await refused("updateRiskTable", each(1_001, 5))).toBe(
      `commands: must have at most 1,000 elements, has 1,001; ${refusal("4,000", "5,005")}`,
    );
  });

  it("or four for each command where a host allows more commands, and any number where it has no limit", async () => {
    const more = { maxRiskCommands: 1_500 };
    expect(await refused("updateRiskTable", each(1_500, 5), more)).toBe(refusal("6,000", "7,500"));
    expect(await refused("updateRiskTable", each(63, 64), { maxRiskCommands: 100 })).toBe(refusal("4,000", "4,032"));
    await accepted(each(1_001, 5), { maxRiskCommands: Number.POSITIVE_INFINITY });
  });

  it("which the operation's description says", async () => {
    const description = ({ api }: TestRig): string => api.operations.updateRiskTable.description;
    expect(description(await startTestRig())).toContain("at most 4,000 limits in all");
    expect(description(await startTestRig({ maxRiskCommands: 2_000 }))).toContain("at most 8,000 limits in all");
  });
});

describe("D-LOAD 5: a refusal lists at most 20 faults, and says how many others there are", () => {
  it("of unknown fields of a request", async () => {
    const message = await refused("listPositions", { projection: "Account/Symbol", ...fields(110_000, 1) });
    expect(message).toMatch(/^f0: unknown field; .*; f19: unknown field; \.\.\. and 109,980 more$/);
  });

  it("of unknown fields of commands", async () => {
    const message = await refused("updateRiskTable", update(10, fields(100, 1)));
    expect(message).toMatch(/^commands\[0\]\.f0: unknown field; .*; \.\.\. and 980 more$/);
  });

  it("of 20 faults all, and other faults besides", async () => {
    const message = await refused("listPositions", { ...fields(19, 1), projection: 7 });
    expect(message.split("; ")).toHaveLength(20);
    expect(message).not.toContain("more");
  });

  it("of 21 faults 20, those of the schema among them", async () => {
    const message = await refused("listPositions", { ...fields(20, 1), projection: 7 });
    expect(message).toMatch(
      /^projection: must be a string; f0: unknown field; .*; f18: unknown field; \.\.\. and 1 more$/,
    );
  });

  it("of objects with too many entries", async () => {
    const message = await refused("updateRiskTable", update(25, { limits: fields(65, "1") }));
    expect(message).toMatch(/^commands\[0\]\.limits: must have .*; commands\[19\]\.limits: [^;]*; \.\.\. and 5 more$/);
  });

  it("of commands with faults among thousands without", async () => {
    const faulty = [...commands(900), ...commands(100, { type: "UPSERT" })];
    const message = await refused("updateRiskTable", { projection: "Account/Symbol", commands: faulty });
    expect(message).toMatch(/^commands\[900\]\.type: must be one of INSERT, UPDATE, DELETE; /);
    expect(message).toMatch(/; commands\[919\]\.type: [^;]*; \.\.\. and 80 more$/);
  });

  it("and looks no further in a list with thousands of faults: further elements count as one fault each", async () => {
    const message = await refused("updateRiskTable", update(62, { limits: fields(64, 1) }));
    // 64 in each of the 20 commands that are looked at, and 42 commands.
    expect(message).toContain("; ... and 1,302 more");
  });

  it("of commands whose conditions do not fit the projection", async () => {
    const message = await refused("updateRiskTable", update(30, { conditions: { Account: "GOLD" } }));
    expect(message).toMatch(
      /^commands\[0\]\.conditions: projection key "Symbol" is missing; .*commands\[19\]\.conditions: [^;]*; \.\.\. and 10 more$/,
    );
  });

  it("and of exactly 20 such commands no others", async () => {
    const message = await refused("updateRiskTable", update(20, { conditions: { Account: "GOLD" } }));
    expect(message.split("; ")).toHaveLength(20);
    expect(message).not.toContain("more");
  });

  it("with long names cut", async () => {
    expect(await refused("haltTrading", { ["n".repeat(100_000)]: 1 })).toMatch(/^n{256}\.\.\.: unknown field$/);
  });

  it("and none for unknown fields that are ignored, however many there are", async () => {
    const rig = await startTestRig({ unknownFields: "ignore" });
    const input = { ...fields(1_000, 1), projection: "Account/Symbol", commands: commands(2, fields(50, 1)) };
    await rig.as("chief").updateRiskTable(input as never);
    expect(rig.gate.seen[0]?.input).toEqual(update(2));
  });
});

describe("D-LOAD 3: limits are checked before the schema looks at each element", () => {
  it.each([
    ["updateRiskTable", { projection: "Account/Symbol", commands: Array(58_000).fill({}) }],
    ["updateRiskTable", update(1_000, { limits: fields(1_000, 1) })],
    ["listPositions", { projection: "Account/Symbol", ...fields(110_000, 1) }],
  ] as const)("%s: %#", async (name, input) => {
    const rig = await startTestRig();
    const { input: schema } = rig.api.operations[name];
    let parsed = 0;
    const { run } = schema._zod;
    schema._zod.run = (...args) => {
      parsed += 1;
      return run(...args);
    };
    try {
      await refused(name, input, rig);
    } finally {
      schema._zod.run = run;
    }
    expect(parsed).toBe(0);
  });
});

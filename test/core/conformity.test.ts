import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type OperationName, operationNames, operations } from "../../src/core/operations/table.ts";
import { compileConformity } from "../../src/core/validation/conformity.ts";
import { fault, MAX_FAULTS } from "../../src/core/validation/faults.ts";
import { parseInput } from "../../src/core/validation/validation.ts";
import { isObject } from "../../src/core/values/basics.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { cases } from "../support/extent.ts";

const CALLS: readonly (readonly [OperationName, Record<string, unknown>])[] = [
  ["getTradingStatus", {}],
  ["getRiskTable", { projection: "Account" }],
  ["listPositions", { projection: "Account/Symbol" }],
  ["listServices", {}],
  ["listFixGateways", {}],
];

async function outputs(): Promise<(readonly [OperationName, unknown])[]> {
  const rig = await startTestRig();
  await rig.as("chief").adjustPosition({ projectionPath: "Account[GOLD]/Symbol[BTC/USD]", size: "1.5" });
  const found = CALLS.map(async ([name, input]) => [name, await rig.as("chief")[name](input as never)] as const);
  return Promise.all(found);
}

/** Puts something else in place of one part of a value. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) return replacement;
  const entries = Object.entries(value);
  const chosen = entries.length === 0 ? undefined : entries[step % entries.length];
  if (!chosen) return replacement;
  const changed = { ...value, [chosen[0]]: mutate(chosen[1], rest, replacement) };
  return Array.isArray(value) ? Object.values(changed) : changed;
}

const COMMAND = {
  type: "UPDATE",
  conditions: { Account: "GOLD", Symbol: "*" },
  limits: { MaxOrderSize: "1.5", MaxPositionLong: null },
};

/** The faults that zod finds, in its order, as far as a message lists them. */
function messageWith({ issues }: z.ZodError): RegExp {
  const paths = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path],
  );
  return new RegExp(
    paths
      .slice(0, MAX_FAULTS)
      .map((path) => fault(path, "").replace(/[^\w]/g, "\\$&"))
      .join("[^]*"),
  );
}

describe("D-LOAD 2: quick check of the commands of a risk update", () => {
  const commands = operations.updateRiskTable.input.shape.commands;

  it("accepts nothing that the full check would refuse or change", () => {
    const conforms = compileConformity(commands.element);
    expect(conforms(COMMAND)).toBe(true);
    let accepted = 0;
    const replacement = fc.oneof(fc.jsonValue(), fc.constantFrom("1e5", "NaN", "", undefined, 1.5, "2"), fc.object());
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 3 }), replacement, (path, part) => {
        const command = mutate(COMMAND, path, part);
        if (!conforms(command)) return;
        accepted += 1;
        expect(commands.element.safeParse(command)).toEqual({ success: true, data: command });
      }),
      { numRuns: cases(5_000) },
    );
    expect(accepted).toBeGreaterThan(cases(30));
  });

  it("refuses and accepts the same updates as the full check alone, however many commands are faulty", () => {
    const input = operations.updateRiskTable.input;
    const replacement = fc.oneof(fc.jsonValue(), fc.constantFrom("1e5", "", 1.5, "2"), fc.constant(COMMAND.limits));
    const path = fc.array(fc.nat(20), { maxLength: 3 });
    const changed = fc.tuple(path, replacement).map(([at, part]) => mutate(COMMAND, at, part));
    const command = fc.oneof(
      { weight: 9, arbitrary: fc.constant<unknown>(COMMAND) },
      { weight: 1, arbitrary: changed },
    );
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        // What counts as omitted is not a matter of the schema.
        fc.pre(!commands.some((one) => isObject(one) && one.limits === null));
        const raw = { projection: "Account/Symbol", commands };
        const parse = (): unknown => parseInput(operations.updateRiskTable, raw, "reject");
        const full = input.safeParse(raw);
        seen[full.success ? "accepted" : "refused"] += 1;
        if (full.success) expect(parse()).toEqual(full.data);
        else expect(parse).toThrow(messageWith(full.error));
      }),
      { numRuns: cases(500) },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(cases(20));
  });

  it("leaves what concerns all of them to the full check", async () => {
    const rig = await startTestRig();
    const list = Array.from({ length: 1_000 }, (_, index) => ({
      ...COMMAND,
      conditions: index === 998 ? { Account: "GOLD" } : COMMAND.conditions,
    }));
    await expect(
      rig.as("chief").updateRiskTable({ projection: "Account/Symbol", commands: list as never }),
    ).rejects.toThrow('commands[998].conditions: projection key "Symbol" is missing');
    await rig.close();
  });
});

describe("quick check of outputs", () => {
  it("accepts what the engine returns", async () => {
    for (const [name, output] of await outputs()) {
      expect(output, name).not.toEqual([]);
      expect([name, compileConformity(operations[name].output)(output)]).toEqual([name, true]);
    }
  });

  it("never accepts what the full check would refuse or change", async () => {
    let accepted = 0;
    const real = await outputs();
    const checks = new Map(operationNames.map((name) => [name, compileConformity(operations[name].output)]));
    const replacement = fc.oneof(fc.jsonValue(), fc.constantFrom("1e5", "NaN", undefined, 1.5, 2 ** 60), fc.object());
    fc.assert(
      fc.property(
        fc.nat(real.length - 1),
        fc.array(fc.nat(20), { maxLength: 4 }),
        replacement,
        (index, path, other) => {
          const [name, output] = real[index] ?? ["getTradingStatus", null];
          const value = mutate(output, path, other);
          if (!checks.get(name)?.(value)) return;
          accepted += 1;
          const full = operations[name].output.safeParse(value);
          expect(full.success && full.data).toEqual(value);
        },
      ),
      { numRuns: cases(3_000) },
    );
    expect(accepted).toBeGreaterThan(cases(30));
  });

  it.each([
    ["null", z.null(), [null], [undefined, 0, ""]],
    ["an integer", z.int(), [0, -(2 ** 53) + 1], [1.5, 2 ** 53, "1", null]],
    ["text with a rule", z.string().min(2), ["ab"], ["a", 7]],
    [
      "text with two rules",
      z
        .string()
        .refine((text) => text !== "a")
        .max(2),
      ["b"],
      ["a", "abc"],
    ],
    ["a field that may be absent", z.object({ a: z.string().optional() }), [{}, { a: "x" }], [{ a: null }, { a: 7 }]],
    ["a field that may be null", z.object({ a: z.string().nullable() }), [{ a: null }, { a: "x" }], [{}, { a: 7 }]],
    ["an object", z.object({}), [{}], [null, [], new Date(0), { unknown: 1 }]],
    ["an object of any names", z.record(z.string().max(1), z.int()), [{}, { a: 1 }], [null, [], { ab: 1 }, { a: "1" }]],
    ["a list", z.array(z.boolean()), [[], [true, false]], [{}, "", [true, 1]]],
  ])("accepts %s as it is described, and nothing else", (_name, schema, right, wrong) => {
    const conforms = compileConformity(schema);
    expect(right.map((value) => conforms(value))).toEqual(right.map(() => true));
    expect(wrong.map((value) => conforms(value))).toEqual(wrong.map(() => false));
  });

  it.each([
    ["a number", z.number(), 1.5],
    ["an integer with a rule", z.int().min(5), 7],
    ["one of several kinds", z.union([z.string(), z.null()]), "x"],
    ["what is transformed", z.string().transform(Number), "1"],
  ])("leaves %s to the full check", (_name, schema, value) => {
    expect(compileConformity(schema)(value)).toBe(false);
  });
});

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { escapeControlCharacters } from "../../src/core/records/record.ts";
import {
  recordedParameters as parametersOf,
  recordedAnnotations,
  recordedRows,
  recordedText,
} from "../../src/core/records/record-size.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const MAX_RECORD = 64 * 1024;

const recordedParameters = (input: object): unknown => parametersOf({ ...input }).parameters;

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const commands = Array.from({ length: 1_000 }, (_, index) => ({
  type: "UPDATE" as const,
  conditions: { Account: `A${index}`, Symbol: "BTC/USD" },
  limits: { MaxOrderSize: `${index}`, MaxPositionLong: null },
}));

describe("D-LOG 10: no record is larger than 64 KB", () => {
  it("since a long list of commands becomes its number and the SHA-256 of what the engine was sent, in both records", async () => {
    const rig = await startTestRig({ policy: () => undefined });
    await rig.as("chief").updateRiskTable({ projection: "Account/Symbol", commands });
    const sent = rig.received("updateRiskTable")[0]?.input as { commands: unknown };
    const cut = { count: 1_000, sha256: sha256(sent.commands) };
    const before = { count: 1_000 };
    expect(rig.audit.records).toMatchObject([
      {
        stage: "intent",
        before,
        target: "Account/Symbol",
        parameters: { projection: "Account/Symbol", commands: cut },
      },
      { stage: "applied", before, parameters: { commands: cut }, after: { count: 1_000 } },
    ]);
    for (const record of rig.audit.records) expect(bytesOf(record)).toBeLessThan(MAX_RECORD);
  });

  it("whatever an invalid request of a megabyte consists of, escaped or not", async () => {
    const rig = await startTestRig({ projectionKeys: [] });
    const long = fc
      .constantFrom("\n", "\u0000", "\u200b", '"', "\\", "\ud800", "😀", "x")
      .map((text) => text.repeat(80_000));
    const value = fc.oneof(
      long,
      long.map((text) => [text]),
      long.map((text) => ({ [text]: text })),
      fc.integer({ min: 1, max: 20_000 }).map((length) => Array.from({ length }, (_, index) => ({ index }))),
      fc.string(),
    );
    const many = fc
      .integer({ min: 0, max: 20_000 })
      .map((length) => Object.fromEntries(Array.from({ length }, (_, index) => [`field\n${index}`, index])));
    const input = fc
      .tuple(fc.dictionary(fc.constantFrom("gateway", "session", "reason", "x", "y"), value), many)
      .map(([fields, others]) => ({ ...others, ...fields, wrong: 1 }));
    await fc.assert(
      fc.asyncProperty(input, async (raw) => {
        rig.clock.advance(60_000);
        rig.audit.records.length = 0;
        const user = principal("\u200b".repeat(10_000), PERMISSIONS);
        const call = rig.api.call("enableFixSession", raw as never, user, { address: "\n".repeat(10_000) });
        await expect(call).rejects.toMatchObject({ status: 400 });
        expect(rig.audit.records).toHaveLength(1);
        expect(bytesOf(rig.audit.records[0])).toBeLessThan(MAX_RECORD);
      }),
      { numRuns: 40 },
    );
  });

  it("and valid texts of the greatest length are recorded whole", async () => {
    const rig = await startTestRig();
    const reason = "\u0007".repeat(1_024);
    await rig.as("chief").haltTrading({ projectionPath: `Account[${"😀".repeat(1_015)}]`, reason });
    const [intent] = rig.audit.records;
    expect(intent?.reason).toBe("\\u0007".repeat(1_024));
    expect(intent?.parameters).toEqual({
      projectionPath: `Account[${"😀".repeat(1_015)}]`,
      reason: "\\u0007".repeat(1_024),
      cancelOrders: false,
    });
    for (const record of rig.audit.records) expect(bytesOf(record)).toBeLessThan(MAX_RECORD);
  });

  it("and a text that is cut says so", async () => {
    const rig = await startTestRig();
    const call = rig.as("chief").haltTrading({ reason: "x".repeat(100_000) });
    await expect(call).rejects.toMatchObject({ status: 400 });
    expect(rig.audit.records[0]?.reason).toMatch(/^x{8000,8200}\.\.\.$/);
    expect(rig.audit.records[0]?.parameters).toEqual({
      reason: { count: 100_000, sha256: sha256("x".repeat(100_000)) },
    });
  });
});

describe("D-LOG 5: records say lane, direction and gateway", () => {
  it.each([
    ["haltTrading", {}, "stop", "tightens"],
    ["resumeTrading", {}, "change", "loosens"],
    ["disableService", { name: "TWAP" }, "stop", "tightens"],
    ["enableService", { name: "TWAP" }, "change", "loosens"],
    ["adjustPosition", { projectionPath: "Symbol[BTC/USD]", size: "1" }, "change", undefined],
    ["updateRiskTable", update({ MaxOrderSize: "1" }), "change", undefined],
    ["updateRiskTable", update({ MaxOrderSize: "1", MaxPositionLong: null }), "change", "loosens"],
  ] as const)("of %s %j: %s, %s", async (name, input, lane, direction) => {
    const rig = await startTestRig({ gateway: "gateway-7" });
    const call = rig.as("chief")[name](input as never);
    await call.catch(() => {});
    expect(rig.audit.records).toHaveLength(2);
    for (const record of rig.audit.records) {
      expect(record).toMatchObject({ gateway: "gateway-7", lane });
      expect([record.direction, Object.hasOwn(record, "direction")]).toEqual([direction, direction !== undefined]);
    }
  });

  it("and of an invalid request only what every input would do", async () => {
    const rig = await startTestRig();
    const chief = rig.as("chief");
    await chief.enableService({ name: 7 as never }).catch(() => {});
    await chief.updateRiskTable({ commands: [{ limits: { a: null } }] } as never).catch(() => {});
    expect(rig.audit.records.map(({ stage, direction }) => [stage, direction])).toEqual([
      ["invalid", "loosens"],
      ["invalid", undefined],
    ]);
  });
});

function update(limits: Record<string, string | null>): unknown {
  const conditions = { Symbol: "BTC/USD", Account: "GOLD" };
  return { projection: "Account/Symbol", commands: [{ type: "UPDATE", conditions, limits }] };
}

describe("D-LOG 17: an applied risk update names the rows it changed, as the engine's reply shows them", () => {
  it("with their limits, null for one that has been removed", async () => {
    const rig = await startTestRig();
    const table = await rig.as("chief").getRiskTable({ projection: "Account/Symbol" });
    const [row] = table.rows;
    const gone = row?.conditions ?? {};
    await rig.as("chief").updateRiskTable({
      projection: "Account/Symbol",
      commands: [
        { type: "DELETE", conditions: gone },
        { type: "UPDATE", conditions: { Symbol: "BTC/USD", Account: "NEW" }, limits: { MaxOrderSize: "5" } },
        { type: "UPDATE", conditions: { Symbol: "BTC/USD", Account: "NEW" }, limits: { MaxOrderSize: "6" } },
      ],
    });
    const [intent, applied] = rig.audit.records;
    expect(intent).not.toHaveProperty("after");
    expect(applied?.after).toEqual([
      { conditions: gone, limits: null },
      { conditions: { Account: "NEW", Symbol: "BTC/USD" }, limits: expect.objectContaining({ MaxOrderSize: "6" }) },
    ]);
  });
});

describe("D-LOG 10: what is recorded of a text", () => {
  const text = fc.string({ unit: fc.constantFrom("x", "é", "😀", "\n", '"', "\\", "\u200b"), maxLength: 300 });

  it("is all of it, safe to print, as long as that has room", () => {
    fc.assert(
      fc.property(text, (given) => {
        const whole = escapeControlCharacters(given);
        expect(recordedText(given, bytesOf(whole))).toBe(whole);
      }),
    );
  });

  it("is else its beginning, as much as has room but for a few characters, and three dots", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 200 }), (given, room) => {
        const whole = escapeControlCharacters(given);
        if (bytesOf(whole) <= room) return;
        const recorded = recordedText(given, room);
        const kept = recorded.slice(0, -3);
        expect([recorded.slice(-3), whole.startsWith(kept), bytesOf(kept) <= room]).toEqual(["...", true, true]);
        expect(kept.length).toBeGreaterThan(room / 12 - 3);
      }),
    );
    expect(recordedText("x".repeat(1_000), 102)).toBe(`${"x".repeat(99)}...`);
  });
});

describe("D-LOG 10: what is recorded of parameters", () => {
  const room = (bytes: number): string => "x".repeat(bytes - bytesOf({ a: "" }));

  it("is each of them if all fit, else the large ones as their size and SHA-256", () => {
    const large = "y".repeat(9_000);
    expect(recordedParameters({ a: large })).toEqual({ a: large });
    expect(recordedParameters({ a: large, b: large, c: large, d: 7, e: [large], f: { g: large }, h: null })).toEqual({
      ...Object.fromEntries(["a", "b", "c"].map((name) => [name, { count: 9_000, sha256: sha256(large) }])),
      d: 7,
      e: { count: 1, sha256: sha256([large]) },
      f: { count: 1, sha256: sha256({ g: large }) },
      h: null,
    });
  });

  it("is the size and SHA-256 of a long list, and the list itself while there is room", () => {
    const element = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.string({ unit: "grapheme", maxLength: 2_000 }));
    fc.assert(
      fc.property(fc.array(element, { minLength: 11, maxLength: 60 }), fc.string(), (list, reason) => {
        const isCut = bytesOf({ list, reason }) > 20 * 1024;
        const recorded = recordedParameters({ list, reason });
        if (isCut) expect(recorded).toMatchObject({ list: { count: list.length, sha256: sha256(list) } });
        else expect(recorded).toEqual(escapeControlCharacters({ list, reason }));
      }),
    );
  });

  it("is that of the whole if a list has no JSON", () => {
    const cycle: unknown[] = Array(30).fill("x");
    cycle.push(cycle);
    expect(recordedParameters({ cycle })).toEqual({ cycle: { count: 31, sha256: expect.any(String) } });
  });

  it("is their number and SHA-256 if there are more than 64, or their names alone are too long", () => {
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, "x".repeat(400)]));
    expect(recordedParameters(many(64))).toEqual({ count: 64, sha256: sha256(many(64)) });
    expect(recordedParameters({ ...many(50), large: "y".repeat(9_000) })).toEqual({
      count: 51,
      sha256: expect.any(String),
    });
    const named = { ["n".repeat(21_000)]: 1 };
    expect(recordedParameters(named)).toEqual({ count: 1, sha256: sha256(named) });
  });

  it("is each of 64, and none of 65, if the large ones leave room for the others", () => {
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`f${index}`, index === 0 ? "y".repeat(30_000) : "x"]),
      );
    expect(recordedParameters(many(64))).toMatchObject({ f0: { count: 30_000 }, f1: "x", f63: "x" });
    expect(recordedParameters(many(65))).toEqual({ count: 65, sha256: sha256(many(65)) });
  });

  it("is up to 20 KB of them, 5 KB of rows and 2 KB of annotations, measured as they are printed", () => {
    const bounds = [
      [recordedParameters, 20 * 1024],
      [(value: object) => recordedAnnotations(value as Record<string, string>), 2 * 1024],
    ] as const;
    for (const [recorded, bytes] of bounds) {
      expect(recorded({ a: room(bytes) })).toEqual({ a: room(bytes) });
      expect(recorded({ a: room(bytes + 1) })).not.toEqual({ a: room(bytes + 1) });
      expect(recorded({ a: `${room(bytes - 1)}\u200b` })).not.toEqual({ a: expect.stringContaining(room(bytes - 1)) });
    }
    const rows = (count: number): string[] => Array<string>(count).fill("x".repeat(61));
    expect(recordedRows(rows(79))).toEqual(rows(79));
    expect(recordedRows(rows(80))).toEqual({ count: 80, sha256: sha256(rows(80)) });
  });

  it.each([
    ["a reason of 1,024 emoji", "😀".repeat(1_024)],
    ["a reason of control characters, which grow when they are escaped", "\u202e".repeat(1_024)],
    ["a text of a policy that is as long as it likes", "x".repeat(1_000_000)],
  ])("keeps whose request it was beside %s", (_, requestReason) => {
    const request = { requestedBy: "riskdesk", requestedAt: "2026-11-27T09:31:00.000Z", requestId: "r-1" };
    const recorded = recordedAnnotations({ ...request, requestReason });
    expect(recorded).toEqual({ ...request, requestReason: expect.stringMatching(/\.\.\.$/) });
    expect(bytesOf(recorded)).toBeLessThanOrEqual(2 * 1024);
  });

  it("is the size alone of what has no JSON, such as a cycle or a BigInt of a call within the process", async () => {
    const rig = await startTestRig();
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    const input = { projectionPath: "Account[GOLD]", cancelOrders: 7n, x: cycle, y: [7n], z: undefined };
    await expect(rig.as("chief").haltTrading(input as never)).rejects.toMatchObject({ status: 400 });
    const sizeOnly = (count: number): object => ({ count, sha256: createHash("sha256").digest("hex") });
    const { projectionPath } = input;
    const parameters = { projectionPath, cancelOrders: sizeOnly(1), x: sizeOnly(2), y: sizeOnly(1), z: undefined };
    expect(rig.audit.records).toMatchObject([{ stage: "invalid", target: projectionPath, parameters }]);
  });
});

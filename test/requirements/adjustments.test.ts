import { describe, expect } from "vitest";
import { verifies } from "../support/verifies.ts";
import type { Answer, World } from "../support/world.ts";
import { DECIMAL_RULE, EMPTY, expectError, ok } from "./support/responses.ts";

const PATH = "Account[GOLD]/Symbol[AAPL]";
const OR_NAN = `${DECIMAL_RULE}, or "NaN"`;

function adjust(world: World, fields: Readonly<Record<string, unknown>>): Promise<Answer> {
  return world.call("adjustPosition", { projectionPath: PATH, ...fields });
}

/** The position of the adjusted node; undefined when there is none. */
async function adjusted(world: World): Promise<Record<string, unknown> | undefined> {
  const positions = await ok<Record<string, unknown>[]>(world.call("listPositions", { projection: "Account/Symbol" }));
  return positions[0];
}

describe("POST /positions/adjust", () => {
  verifies("ADJUST-PATH", async (world) => {
    expect(await adjust(world, { size: "5" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ projection: PATH, size: "5" });
    expectError(await world.call("adjustPosition", { size: "5" }), 400, "projectionPath: is required");
    expectError(await adjust(world, { projectionPath: 7, size: "5" }), 400, "projectionPath: must be a string");
    world.gate.replyWith(() => ({ ok: true, result: null }));
    expect(await adjust(world, { projectionPath: "", size: "5" })).toEqual(EMPTY);
    expect(world.gate.seen.at(-1)?.input).toMatchObject({ projectionPath: "", size: "5" });
  });

  verifies("ADJUST-SIZE", async (world) => {
    expect(await adjust(world, { size: "12.50" })).toEqual(EMPTY);
    expect((await adjusted(world))?.size).toBe("12.5");
    expect(await adjust(world, { size: "-2.25", relative: true })).toEqual(EMPTY);
    expect((await adjusted(world))?.size).toBe("10.25");
    expectError(await adjust(world, {}), 400, "size: is required");
    expectError(await adjust(world, { size: 5 }), 400, `size: ${DECIMAL_RULE}`);
  });

  verifies("ADJUST-RELATIVE", async (world) => {
    const sizes: unknown[] = [];
    for (const given of [{}, {}, { relative: true }, { relative: false }]) {
      expect(await adjust(world, { size: "8", ...given })).toEqual(EMPTY);
      sizes.push((await adjusted(world))?.size);
    }
    expect(sizes).toEqual(["8", "8", "16", "8"]);
    expectError(await adjust(world, { size: "8", relative: "true" }), 400, "relative: must be true or false");
  });

  verifies("ADJUST-AVERAGE-COST", async (world) => {
    expect(await adjust(world, { size: "100", averageCost: "189.25" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ size: "100", averageCost: "189.25", unrealizedPnL: "100" });
    expect(await adjust(world, { size: "50" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ size: "50", averageCost: "189.25" });
    expect(await adjust(world, { size: "50", averageCost: "NaN" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ size: "50", averageCost: null, unrealizedPnL: null });
  });

  verifies("ADJUST-REALIZED", async (world) => {
    expect(await adjust(world, { size: "100", realizedPnL: "-7.125" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ size: "100", realizedPnL: "-7.125" });
    expect(await adjust(world, { size: "50" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ size: "50", realizedPnL: "-7.125" });
    expect(await adjust(world, { size: "50", realizedPnL: "NaN" })).toEqual(EMPTY);
    expect(await adjusted(world)).toMatchObject({ size: "50", realizedPnL: null });
  });

  verifies("ADJUST-INVALID-DECIMAL", async (world) => {
    for (const bad of ["", "abc", "1e5", "0x10", "1,5", ".5", "5.", "Infinity", " 5", "1".repeat(65), 5, true]) {
      expectError(await adjust(world, { size: bad }), 400, `size: ${DECIMAL_RULE}`);
      for (const field of ["averageCost", "realizedPnL"]) {
        expectError(await adjust(world, { size: "5", [field]: bad }), 400, `${field}: ${OR_NAN}`);
      }
    }
    expectError(await adjust(world, { size: "NaN" }), 400, `size: ${DECIMAL_RULE}`);
    expect(world.gate.seen).toEqual([]);
    expect(await adjusted(world)).toBeUndefined();
  });
});
